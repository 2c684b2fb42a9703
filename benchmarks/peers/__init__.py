"""Other systems on the same work, each in an environment of its own."""
