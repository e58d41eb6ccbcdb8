"""Recall: what left the window, by address and by words; the tools for the model."""
