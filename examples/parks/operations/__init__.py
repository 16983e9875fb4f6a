"""What the parks system does: the calls of an application, each one or a few requests."""
