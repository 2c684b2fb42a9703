"""Key-value state: the prefix that all rows share, pages on the device, and the host's index."""
