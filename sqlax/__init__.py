"""SQL with semantic operators, compiled with its language model into one XLA program."""

__version__ = "0.1.0"
