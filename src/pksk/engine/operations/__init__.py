"""DynamoDB's data-plane operations, one to a file."""
