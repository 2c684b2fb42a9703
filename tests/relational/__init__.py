"""SELECTs by topic, answered in every mode as DuckDB answers them."""
