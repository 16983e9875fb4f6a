"""What the costs of all kinds of requests are made of: sizes, charges, and what markers add."""
