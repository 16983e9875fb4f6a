"""The command that says what a design costs in a month."""
