"""The operations of an application on the records system."""
