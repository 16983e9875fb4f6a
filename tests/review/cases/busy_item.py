"""Designs for the rule about single items that all calls read or write."""

_NUMBERS = """
    shop = Table("shop")
    orders = sequence("orders{part}", table=shop)

    class Order(Entity, table=shop):
        {key}
        primary = Key("{{id}}", "META")

    @access(rate={rate})
    def number({arguments}) -> Update:
        return orders.take({parts})
    """
_COUNTER = {"part": "", "key": "id: int", "arguments": "", "parts": ""}

FOUND = {
    "a counter with more draws than one item serves": ("error", _NUMBERS.format(rate=2000, **_COUNTER)),
    "a counter near its ceiling": ("warning", _NUMBERS.format(rate=800, **_COUNTER)),
    "a counter with room to grow, for keys that are numbers": ("info", _NUMBERS.format(rate=50, **_COUNTER)),
    "settings that every call reads": (
        "error",
        """
        shop = Table("shop")

        class Settings(Entity, table=shop):
            theme: str = "dark"
            primary = Key("SETTINGS", "ALL", single_item=True)

            @access(rate=9000, item_size=400)
            @classmethod
            def current(cls) -> Get["Settings"]:
                return cls.primary.get()
        """,
    ),
    "a total that every order adds to": (
        "error",
        """
        shop = Table("shop")

        class Total(Entity, table=shop):
            orders: int = 0
            primary = Key("TOTAL", "ALL", single_item=True)

            @access(rate=1500, item_size=100)
            @classmethod
            def count(cls) -> Update["Total"]:
                return cls.primary.update().add(orders=1).upsert()
        """,
    ),
}

SILENT = {
    "a counter with room to grow, for keys that are no numbers": _NUMBERS.format(
        rate=50, part="", key="id: UUID", arguments="", parts=""
    ),
    "a sequence for each customer": _NUMBERS.format(
        rate=2000, part="::{customer}", key="id: int", arguments="customer: str", parts="customer=customer"
    ),
    "a sequence of which the draws are not declared": """
        shop = Table("shop")
        orders = sequence("orders", table=shop)
    """,
    "settings in a cache": """
        shop = Table("shop")

        class Settings(Entity, table=shop):
            theme: str = "dark"
            primary = Key("SETTINGS", "ALL", single_item=True)

            @access(rate="1/min", item_size=400)
            @classmethod
            def current(cls) -> Get["Settings"]:
                return cls.primary.get()
        """,
}

FIXED = {
    "settings that every call reads": SILENT["settings in a cache"],
    "a counter with more draws than one item serves": SILENT[
        "a counter with room to grow, for keys that are no numbers"
    ],
}
