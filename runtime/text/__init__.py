"""Generated texts where they are: their bytes, their order, equality and patterns.

A generated text is a row of tokens; its text is their bytes without blanks at either end. What
compares texts reads a rank for every text id, made here in the graph.
"""
