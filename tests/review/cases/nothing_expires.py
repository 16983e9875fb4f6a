"""Designs for the rule about tables with a TTL attribute that no entity has."""

_SESSIONS = """
    app = Table("app"{ttl})

    class Session(Entity, table=app):
        token: str
        {field}
        primary = Key("{{token}}", "SESSION")
    """
_SEVERAL = """
    app = Table("app", ttl="expires")
    numbers = sequence("numbers", table=app)

    class User(Entity, table=app):
        user_id: str
        primary = Key("USER#{user_id}", "USER")
    """


def _sessions(field: str, ttl: str = ', ttl="expires"') -> str:
    return _SESSIONS.format(field=field, ttl=ttl)


FOUND = {
    "a time under another name": ("info", _sessions("valid_until: int")),
    "no time at all": ("info", _SEVERAL),
}

SILENT = {
    "a time that expires": _sessions("expires: Annotated[datetime, TTL()]"),
    "a time with another field name": _sessions(
        'until: Annotated[datetime | None, TTL(), Attribute("expires")] = None'
    ),
    "a table without expiry": _sessions("valid_until: int", ttl=""),
    "a table without entities": 'app = Table("app", ttl="expires")',
}

FIXED = {"a time under another name": SILENT["a time that expires"]}
