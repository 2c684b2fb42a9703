"""From DuckDB to the device: columns, one ordered dictionary of strings, one pool of tokens."""
