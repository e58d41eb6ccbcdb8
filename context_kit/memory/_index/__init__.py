"""The journal's index, derived from it: what is in it, how it is filled, found and ranked."""
