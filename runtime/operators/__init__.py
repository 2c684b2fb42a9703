"""Relational operators on device relations: pure functions with static capacities."""
