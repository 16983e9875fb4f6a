"""The fixtures and options that pksk brings to pytest."""
