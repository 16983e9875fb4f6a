"""Designs for the rule about partition keys that are the same for all items."""

FOUND = {
    "in the table, above what one key serves": (
        "error",
        """
        shop = Table("shop")

        class User(Entity, table=shop, items=1_000_000):
            user_id: str
            primary = Key("USER", "{user_id}")

            @access(rate=5000, item_size=400)
            @classmethod
            def add(cls, user: "User") -> Put["User"]:
                return Put(user)
        """,
    ),
    "in an index, by the writes of several patterns together": (
        "error",
        """
        shop = Table("shop", indexes=[GSI("all", pk="g1", sk="g2")])

        class User(Entity, table=shop, items=1_000_000):
            user_id: str
            primary = Key("USER#{user_id}", "PROFILE")
            everyone = Key("USERS", "{user_id}", index="all")

            @access(rate=600, item_size=400)
            @classmethod
            def add(cls, user: "User") -> Put["User"]:
                return Put(user)

            @access(rate=600, item_size=400)
            @classmethod
            def add_another(cls, user: "User") -> Put["User"]:
                return Put(user)
        """,
    ),
    "read more than one key serves": (
        "error",
        """
        shop = Table("shop")

        class Category(Entity, table=shop, items=40):
            name: str
            primary = Key("CATEGORY", "{name}")

            @access(rate=7000, item_size=400)
            @classmethod
            def one(cls, name: str) -> Get["Category"]:
                return cls.primary.get(name=name)
        """,
    ),
    "without a bound on the number of items": (
        "warning",
        """
        shop = Table("shop")

        class User(Entity, table=shop):
            user_id: str
            primary = Key("USER", "{user_id}")
        """,
    ),
}

SILENT = {
    "few items with low rates": """
        shop = Table("shop")

        class Category(Entity, table=shop, items=40):
            name: str
            primary = Key("CATEGORY", "{name}")

            @access(rate=20, items=40)
            @classmethod
            def every(cls) -> Query["Category"]:
                return cls.primary()
        """,
    "a single item": """
        shop = Table("shop")

        class Settings(Entity, table=shop):
            theme: str = "dark"
            primary = Key("SETTINGS", "ALL", single_item=True)
        """,
    "a sparse index": """
        shop = Table("shop", indexes=[GSI("open", pk="g1", sk="g2")])

        class Order(Entity, table=shop):
            order_id: str
            status: str
            primary = Key("ORDER#{order_id}", "META")
            is_open = Key("OPEN", "{order_id}", index="open", when=F.status == "open")
        """,
    "a sharded key": """
        shop = Table("shop", indexes=[GSI("all", pk="g1", sk="g2")])

        class User(Entity, table=shop):
            user_id: str
            primary = Key("USER#{user_id}", "PROFILE")
            everyone = Key("USERS#{shard}", "{user_id}", index="all", shard=Shard(8, of="user_id"))

            @access(rate=3000, item_size=400)
            @classmethod
            def add(cls, user: "User") -> Put["User"]:
                return Put(user)
        """,
}

FIXED = {
    "in the table, above what one key serves": """
        shop = Table("shop")

        class User(Entity, table=shop, items=1_000_000):
            user_id: str
            primary = Key("USER#{user_id}", "PROFILE")

            @access(rate=5000, item_size=400)
            @classmethod
            def add(cls, user: "User") -> Put["User"]:
                return Put(user)
        """,
}

# Cases whose finding has a change that removes it.
MECHANICAL = {
    "in the table, above what one key serves",
    "in an index, by the writes of several patterns together",
    "read more than one key serves",
    "without a bound on the number of items",
}
