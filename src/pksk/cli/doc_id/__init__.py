"""Commands about document ids."""
