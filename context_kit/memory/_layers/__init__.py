"""The long-term layer: what other sessions know and changed."""
