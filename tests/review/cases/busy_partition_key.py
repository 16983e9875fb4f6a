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

FOUND = {
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
    "the current day of few kinds",
    "a collection that only grows at its end",
    "a collection with a local index",
    "a collection that can split",
}
