"""Key-value state on the device: the constant prefix that every row of an operator shares."""
