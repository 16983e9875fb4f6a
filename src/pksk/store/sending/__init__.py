"""Sends requests to DynamoDB: steps, the drivers that run them, and retries."""
