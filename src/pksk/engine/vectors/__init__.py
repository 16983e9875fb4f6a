"""Vector indexes: what they keep of items, and the search for what is near."""
