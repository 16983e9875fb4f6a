"""Sessions of the clients that people have, over HTTP and unchanged."""
