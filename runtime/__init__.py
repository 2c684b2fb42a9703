"""Graph operators, and what loads tables onto the device, runs programs and decodes results."""
