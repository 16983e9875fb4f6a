"""The control plane: operations on tables and their settings, grouped by resource."""
