"""The graph operator `score`: prompts as ranges of one token pool, labels as a trie, one pass.

Work goes by item: a distinct prompt. Rows point at items, items that are wanted and unanswered
are listed by length, and tiles of that list go through the model until it is empty.
"""
