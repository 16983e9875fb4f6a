"""Sessions of the usual clients, unchanged, over HTTP."""
