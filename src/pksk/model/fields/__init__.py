"""Fields as stored values, and conditions on them."""
