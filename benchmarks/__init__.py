"""Benchmarks: each module is a command, `python -m benchmarks.NAME --json FILE`."""
