"""Pantry: the clients of a food pantry, the services that they were given, and the reports about them."""
