"""What can be seen of requests while they run: hooks, meters, spans."""
