"""The operations of an application on the parks system."""
