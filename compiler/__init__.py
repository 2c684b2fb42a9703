"""From SQL text to one lowered program: parse, plan, rewrite, place, lower."""
