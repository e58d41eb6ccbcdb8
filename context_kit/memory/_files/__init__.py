"""The store in a directory: line files, locks, rights, and the journal as one of them."""
