"""The parts of the tour through the records system, each with its questions and what is known of their answers."""
