"""What a write expects of the stored item, and what the markers of its entity add."""
