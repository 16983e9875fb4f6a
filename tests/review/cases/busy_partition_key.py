"""Designs for the rule about a partition key that receives more than it serves."""

_FEED = """
    feed = Table("feed"{options})

    class Post(Entity, table=feed):
        author: Annotated[str, {spread}]
        post_id: str
        at: Annotated[datetime, Created()]
        primary = {key}

        @access(rate=12_000, item_size=400)
        @classmethod
        def add(cls, post: "Post") -> Put["Post"]:
            return Put(post)
    """
_ZIPF = "Spread(values=10_000, zipf=0.99)"

# Each access pattern alone could be served.
_TOGETHER = """
    work = Table("work")

    class Task(Entity, table=work):
        tenant: Annotated[str, Spread(values=3000, largest=0.2)]
        task_id: str
        state: str = "new"
        primary = Key("{tenant}", "{task_id}")

        @access(rate=4000, item_size=400)
        @classmethod
        def add(cls, task: "Task") -> Put["Task"]:
            return Put(task)

        @access(rate=2000, item_size=400)
        @classmethod
        def finish(cls, tenant: str, task_id: str) -> Update["Task"]:
            return cls.primary.update(tenant=tenant, task_id=task_id).set(state="done")
    """
_TWO_ENTITIES = """
    chat = Table("chat")
    Room = Annotated[str, Spread(values=3000, largest=0.2)]

    class Message(Entity, table=chat):
        room: Room
        message_id: str
        primary = Key("ROOM#{room}", "MSG#{message_id}")

        @access(rate=4000, item_size=400)
        @classmethod
        def send(cls, message: "Message") -> Put["Message"]:
            return Put(message)

    class Reader(Entity, table=chat):
        room: Room
        user: str
        last: str = ""
        primary = Key("ROOM#{room}", "USER#{user}")

        @access(rate=4000, item_size=100)
        @classmethod
        def read(cls, room: str, user: str) -> Update["Reader"]:
            return cls.primary.update(room=room, user=user).set(last="x")
    """
_TWO_FIELDS = """
    work = Table("work")

    class Task(Entity, table=work):
        tenant: Annotated[str, Spread(values=3000, largest=0.3)]
        place: Annotated[str, Spread(values=4, largest=0.5)]
        task_id: str
        primary = Key("{tenant}#{place}", "{task_id}")

        @access(rate=5000, item_size=400)
        @classmethod
        def add(cls, task: "Task") -> Put["Task"]:
            return Put(task)
    """

_ONE_ITEM = """
    posts = Table("posts")

    class Post(Entity, table=posts, items=1_000_000):
        post_id: Annotated[str, Spread(values=1_000_000, largest=0.5)]
        likes: int = 0
        primary = Key("POST#{post_id}", "POST")

        @access(rate=4000, item_size=400)
        @classmethod
        def like(cls, post_id: str) -> Update["Post"]:
            return cls.primary.update(post_id=post_id).add(likes=1)
    """

FOUND = {
    "one item that all write": ("error", _ONE_ITEM),
    "busy by two access patterns together": ("warning", _TOGETHER),
    "busy by two entities together": ("warning", _TWO_ENTITIES),
    "of two fields whose busiest values may be of the same items": ("info", _TWO_FIELDS),
    "a collection that only grows at its end": (
        "error",
        _FEED.format(options="", spread=_ZIPF, key='Key("{author}", "{at}#{post_id}")'),
    ),
    "a collection with a local index": (
        "error",
        _FEED.format(
            options=', indexes=[LSI("by-post", sk="l1")]', spread=_ZIPF, key='Key("{author}", "{post_id}")'
        ),
    ),
    "a collection with a local index, whose key repeats that of the table": (
        "error",
        _FEED.format(
            options=', indexes=[LSI("by-time", sk="l1")]',
            spread=_ZIPF,
            key='Key("{author}", "{post_id}")\n        by_time = Key("{author}", "{at}", index="by-time")',
        ),
    ),
    "a collection that can split": (
        "warning",
        _FEED.format(options="", spread=_ZIPF, key='Key("{author}", "{post_id}")'),
    ),
    "the current day of few kinds": (
        "warning",
        """
        events = Table("events")

        class Event(Entity, table=events):
            kind: Literal["click", "view"]
            day: date
            event_id: str
            primary = Key("{kind}#{day}", "{event_id}")

            @access(rate=8000, item_size=400)
            @classmethod
            def add(cls, event: "Event") -> Put["Event"]:
                return Put(event)
        """,
    ),
    "one item that all read": (
        "error",
        """
        shop = Table("shop", sk=None)

        class Product(Entity, table=shop):
            product_id: str
            primary = Key("{product_id}")

            @access(rate=50_000, item_size=400, spread=Spread(values=1000, largest=0.3))
            @classmethod
            def one(cls, product_id: str) -> Get["Product"]:
                return cls.primary.get(product_id=product_id)
        """,
    ),
}

SILENT = {
    "two access patterns with spreads of their own": _TOGETHER.replace(
        "item_size=400)", "item_size=400, spread=Spread(values=3000, largest=0.2))"
    ),
    "two access patterns, together below the ceiling": _TOGETHER.replace("rate=4000", "rate=2000"),
    "two entities in partitions of their own": _TWO_ENTITIES.replace(
        '"ROOM#{room}", "USER', '"READERS#{room}", "USER'
    ),
    "two fields that are even": _TWO_FIELDS.replace(", largest=0.3", ""),
    "an even spread": _FEED.format(
        options="", spread="Spread(values=10_000)", key='Key("{author}", "{at}#{post_id}")'
    ),
    "a spread that is not declared": """
        shop = Table("shop")

        class Order(Entity, table=shop):
            customer: str
            order_id: str
            primary = Key("{customer}", "{order_id}")

            @access(rate=8000, item_size=400)
            @classmethod
            def add(cls, order: "Order") -> Put["Order"]:
                return Put(order)
        """,
}

FIXED = {
    "a collection that only grows at its end": _FEED.format(
        options="",
        spread=_ZIPF,
        key='Key("{author}#{shard}", "{at}#{post_id}", shard=Shard(4, of="post_id"))',
    ),
}

# Cases whose finding has a change that removes it.
MECHANICAL = {
    "busy by two entities together",
    "busy by two access patterns together",
    "the current day of few kinds",
    "a collection that only grows at its end",
    "a collection with a local index",
    "a collection that can split",
}
