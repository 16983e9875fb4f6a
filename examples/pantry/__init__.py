"""The pantry: the clients of a food pantry, the services that they received, and reports about them."""
