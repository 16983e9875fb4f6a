"""What pksk costs, measured beside its peers; `make bench` runs all of it."""
