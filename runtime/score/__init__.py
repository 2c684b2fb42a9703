"""The graph operator `score`: labels as a trie behind each prompt, scored in one pass."""
