"""Requests as values: each kind has its class and its costs here, and is run by a module of the same name in store."""
