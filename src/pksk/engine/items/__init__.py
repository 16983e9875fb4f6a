"""Items: key checks, reads and writes of one item or many, and the capacity they consume."""
