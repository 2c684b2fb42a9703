"""The logical plan: frozen, typed nodes of relational algebra, semantic operators among them."""
