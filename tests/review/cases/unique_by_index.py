"""Designs for the rule about queries that expect one item of an index."""

_USERS = """
    users = Table("users", indexes=[GSI("by-email", pk="g1"{sort})])

    class User(Entity, table=users):
        user: str
        email: {kind}
        primary = Key("{{user}}", "PROFILE")
        by_email = Key({key}, index="by-email")

        @access(rate=5, items={items})
        @classmethod
        def with_email(cls, email: {parameter}) -> Query["User"]:
            return cls.by_email(email=email){more}
    """


def _users(
    kind: str = "str",
    key: str = '"{email}"',
    sort: str = "",
    items: int = 1,
    parameter: str = "str",
    more: str = "",
) -> str:
    return _USERS.format(kind=kind, key=key, sort=sort, items=items, parameter=parameter, more=more)


FOUND = {
    "the e-mail address of a user": ("info", _users()),
    "with a sort key": ("info", _users(key='"MAIL#{email}", "{user}"', sort=', sk="g2"')),
}

SILENT = {
    "a unique value": _users("Annotated[str, Unique()]"),
    "a generated id": _users("UUID", parameter="UUID"),
    "several items": _users(items=3),
    "the first of several": _users(more=".limit(1)"),
}

FIXED = {"the e-mail address of a user": _users("Annotated[str, Unique()]")}
