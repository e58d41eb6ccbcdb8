"""The peers of the library, each driven by a small script in an environment of its own, and who judges them."""
