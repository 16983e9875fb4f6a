"""Parks: places, what can be booked there, bookings, and the waiting room before a popular opening."""
