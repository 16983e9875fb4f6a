"""Tests of how entities are declared: what is refused when the class is made, and what is stored."""
