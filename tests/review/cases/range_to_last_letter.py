"""Designs for the rule about ranges that end at a last character."""

_PEOPLE = """
    people = Table("people")

    class Person(Entity, table=people):
        country: str
        code: str
        primary = Key("{{country}}", "{{code}}")

        @access(rate=1, items=20)
        @classmethod
        def like(cls, country: str, start: str) -> Query["Person"]:
            return cls.primary(country=country, code={code})
    """


def _people(code: str) -> str:
    return _PEOPLE.format(code=code)


FOUND = {
    "to z": ("warning", _people('between(start, start + "z")')),
    "to many z": ("warning", _people('between(start, f"{start}zzzz")')),
    "to a tilde": ("info", _people('between(start, start + "~")')),
    "to a late character": ("info", _people(r'between(start, start + "\uffff")')),
}

SILENT = {
    "a prefix": _people("begins(start)"),
    "a range of years": _people('between("2024", "2025")'),
    "a range to a number": _people('between(start, start + "9")'),
    "everything from a text on": _people("gte(start)"),
}

FIXED = {"to z": _people("begins(start)")}
