"""The example systems with the mistakes that their documents warn of, each with the findings that they must have."""
