"""Designs for the rule about indexes that no access pattern reads."""

_USERS = """
    shop = Table("shop", indexes=[{indexes}])

    class User(Entity, table=shop):
        user_id: str
        login: str
        city: str
        primary = Key("USER#{{user_id}}", "META")
        by_login = Key("LOGIN#{{login}}", "{{user_id}}", index="by-login")
        {by_city}

        @access(rate=10, items=1)
        @classmethod
        def with_login(cls, login: str) -> Query["User"]:
            return {request}
    """
_LOGIN = 'GSI("by-login", pk="g1", sk="g2")'
_CITY = 'GSI("by-city", pk="g3", sk="g4")'
_BY_CITY = 'by_city = Key("CITY#{city}", "{user_id}", index="by-city")'

FOUND = {
    "a second index": (
        "warning",
        _USERS.format(indexes=f"{_LOGIN}, {_CITY}", by_city=_BY_CITY, request="cls.by_login(login=login)"),
    ),
    "a local index": (
        "warning",
        _USERS.format(
            indexes=f'{_LOGIN}, LSI("by-l", sk="l1")', by_city="", request="cls.by_login(login=login)"
        ),
    ),
}

SILENT = {
    "the index that is read": _USERS.format(indexes=_LOGIN, by_city="", request="cls.by_login(login=login)"),
    "a design without reads": """
        shop = Table("shop", indexes=[GSI("by-login", pk="g1", sk="g2")])

        class User(Entity, table=shop):
            user_id: str
            login: str
            primary = Key("USER#{user_id}", "META")
            by_login = Key("LOGIN#{login}", "{user_id}", index="by-login")
        """,
}

FIXED = {
    "a second index": _USERS.format(indexes=_LOGIN, by_city="", request="cls.by_login(login=login)"),
}

# Cases whose finding has a change that removes it.
MECHANICAL = {
    "a second index",
    "a local index",
}
