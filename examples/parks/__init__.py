"""The parks system: places, products, bookings, and the waiting room before a popular opening."""
