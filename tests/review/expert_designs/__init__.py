"""Designs as people write them who know DynamoDB well, each with every finding on it and why that is right."""
