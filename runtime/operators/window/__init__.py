"""Window functions: one sort by partition and order, then running counts and folds over frames.

All values are in *place* order, that of the sort; `Ordered.to_rows` brings results back.
"""

from sqlax.runtime.operators.window.frame import Frame, mean, number, smallest, total
from sqlax.runtime.operators.window.ordered import Ordered, order_rows
from sqlax.runtime.operators.window.rank import RANKS, tile_number
from sqlax.runtime.operators.window.value import end_value, neighbour, nth_value

__all__ = [
    "RANKS",
    "Frame",
    "Ordered",
    "end_value",
    "mean",
    "neighbour",
    "nth_value",
    "number",
    "order_rows",
    "smallest",
    "tile_number",
    "total",
]
