"""Lessons: the shapes that keys commonly have, the mistakes that are commonly made, and what to do instead."""
