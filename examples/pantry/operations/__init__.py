"""The operations of an application on the pantry."""
