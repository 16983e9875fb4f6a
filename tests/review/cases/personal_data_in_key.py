"""Designs for the rule about keys that hold personal data."""

_USERS = """
    shop = Table("shop")

    class User(Entity, table=shop):
        {field}: str
        user_id: str
        primary = Key("USER#{{{used}}}", "PROFILE")
    """

FOUND = {
    "an e-mail address": ("info", _USERS.format(field="email", used="email")),
    "a telephone number": ("info", _USERS.format(field="home_phone", used="home_phone")),
}

SILENT = {
    "an id": _USERS.format(field="email", used="user_id"),
    "a name that only looks alike": _USERS.format(field="phonetic", used="phonetic"),
}

FIXED = {"an e-mail address": _USERS.format(field="email", used="user_id")}
