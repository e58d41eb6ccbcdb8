"""The journal: what a session writes into it by itself, and `Memory`, through which it is read."""
