"""The parts of the cost of a request: item sizes, charges, and the cost of markers."""
