"""The part types of templates, one for each type of field."""
