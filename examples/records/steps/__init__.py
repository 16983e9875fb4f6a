"""The parts of the tour through the records system."""
