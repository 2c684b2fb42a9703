"""From SQL text to a tree whose semantic calls are validated `SemanticCall`s."""
