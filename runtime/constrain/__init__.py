"""What generated text may be: automata over bytes, lifted to a model's tokens.

Types, regular expressions, JSON schemas, choices and LIKE patterns become expressions over
characters, an expression becomes one automaton over bytes, and that one becomes, with the bytes
of every token, an automaton over tokens: arrays that the decode loop reads.
"""
