"""Vector indexes: the entries that they store, and the search for the nearest vectors."""
