"""The kinds of parts that a template is made of, one for each type of field."""
