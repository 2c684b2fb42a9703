"""Tables of edge values and expressions over them."""
