"""How values of fields are stored such that they come back as they were, read off Pydantic's core schemas."""
