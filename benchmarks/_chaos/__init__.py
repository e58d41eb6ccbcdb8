"""Random sessions in which everything that can break does: who breaks, what is said, how it is judged."""
