"""What a part of a plan costs in DuckDB and in the graph, by rates measured once a machine."""
