"""The parts of the tour through the parks system."""
