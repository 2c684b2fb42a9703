"""The graph operator `generate`: rows are admitted, prefilled, decoded and retired in one loop.

A row at work is a lane: an item, its pages and how far it is. What a lane's pages do not hold yet,
prompt or output, is pending: with one pending token it takes part in a decode step, with more in
a chunk. Which shapes a row is computed in follows from its own lengths alone.
"""
