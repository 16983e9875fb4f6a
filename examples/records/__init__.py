"""The records system: old registers published by societies, with the places and names in them."""
