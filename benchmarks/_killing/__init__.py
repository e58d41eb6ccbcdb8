"""Processes that are killed at work, and what must be there afterwards."""
