"""The engine in tests: inside botocore, and as fixtures of pytest."""
