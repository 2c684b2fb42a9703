"""Parts of a plan whose rows do not fit the memory they were given, run morsel by morsel."""
