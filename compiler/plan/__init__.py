"""The logical plan: frozen, typed nodes of relational algebra with semantic operators among them."""
