"""From a placed plan to one jitted program: a visible case for each node."""
