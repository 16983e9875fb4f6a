"""Designs for the rule about texts that people write with capitals or without."""

_USERS = """
    users = Table("users", indexes=[GSI("by-name", pk="g1", sk="g2")])
    Lower = Annotated[str, AfterValidator(str.lower)]

    class User(Entity, table=users, items=1000):
        username: {username}
        city: {city}
        primary = Key("USER#{{username}}", "PROFILE")
        by_city = Key("USERS", "{{city}}#{{username}}", index="by-name")

        @access(rate=1, items=20)
        @classmethod
        def of_city(cls, start: str) -> Query["User"]:
            return cls.by_city(city={value})
    """

FOUND = {
    "a user name": ("info", _USERS.format(username="str", city="Lower", value="begins('vic')")),
    "a city that people type": ("info", _USERS.format(username="Lower", city="str", value="begins('vic')")),
    "a range of cities": (
        "info",
        _USERS.format(username="Lower", city="str", value="between('a', 'f')"),
    ),
}

SILENT = {
    "texts in small letters": _USERS.format(username="Lower", city="Lower", value="begins('vic')"),
    "a text that Pydantic changes": _USERS.format(
        username="Annotated[str, StringConstraints(to_lower=True)]", city="Lower", value="begins('vic')"
    ),
    "a text with a pattern": _USERS.format(
        username='Annotated[str, Field(pattern="^[a-z]+$")]', city="Lower", value="begins('vic')"
    ),
    "a city in full": _USERS.format(username="Lower", city="str", value="'Victoria'"),
}

FIXED = {"a user name": SILENT["texts in small letters"]}
