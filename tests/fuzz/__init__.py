"""Random tables and queries, run in DuckDB and in every mode of sqlax: `python -m tests.fuzz`."""
