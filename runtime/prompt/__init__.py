"""Prompts as ranges of one token pool: what every operator that asks a model shares.

Work goes by item: a distinct prompt. Rows point at items, items that are wanted and unanswered
are listed by length, and tiles of that list go through the model until it is empty.
"""
