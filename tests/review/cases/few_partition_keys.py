"""Designs for the rule about partition keys with few values."""

_ORDERS = """
    shop = Table("shop", indexes=[GSI("by-status", pk="g1", sk="g2")])

    class Order(Entity, table=shop, items=1_000_000):
        order_id: str
        status: Literal["open", "paid", "sent"]
        primary = Key("ORDER#{{order_id}}", "META")
        by_status = {key}

        @access(rate={rate}, item_size=400)
        @classmethod
        def add(cls, order: "Order") -> Put["Order"]:
            return Put(order)
    """

# The index has the attribute of the field itself, which can hold nothing but a status.
_OWN_ATTRIBUTE = _ORDERS.replace('pk="g1", sk="g2"', 'pk="status", sk="order_id"')

FOUND = {
    "a status whose attribute is the key of the index": (
        "error",
        _OWN_ATTRIBUTE.format(key='Key("{status}", "{order_id}", index="by-status")', rate=5000),
    ),
    "a status with more writes than three keys serve": (
        "error",
        _ORDERS.format(key='Key("{status}", "{order_id}", index="by-status")', rate=5000),
    ),
    "a status that one common value fills": (
        "warning",
        _ORDERS.format(key='Key("{status}", "{order_id}", index="by-status")', rate=1500),
    ),
    "a flag without a bound": (
        "warning",
        """
        shop = Table("shop", indexes=[GSI("by-flag", pk="g1", sk="g2")])

        class User(Entity, table=shop):
            user_id: str
            active: bool = True
            primary = Key("USER#{user_id}", "META")
            by_flag = Key("ACTIVE#{active:yes/no}", "{user_id}", index="by-flag")
        """,
    ),
    "a text that is named as one with few values": (
        "warning",
        _ORDERS.replace('Literal["open", "paid", "sent"]', "str").format(
            key='Key("STATUS#{status}", "{order_id}", index="by-status")', rate=3000
        ),
    ),
    "a country without a bound": (
        "info",
        """
        shop = Table("shop")

        class User(Entity, table=shop):
            country_code: str
            user_id: str
            primary = Key("{country_code}", "{user_id}")
        """,
    ),
    "two fields with few values each": (
        "warning",
        """
        shop = Table("shop", indexes=[GSI("by-kind", pk="g1", sk="g2")])

        class Event(Entity, table=shop):
            event_id: str
            kind: Literal["a", "b", "c"]
            level: Literal["low", "high"]
            primary = Key("EVENT#{event_id}", "META")
            by_kind = Key("{kind}#{level}", "{event_id}", index="by-kind")
        """,
    ),
}

SILENT = {
    "a text with a declared spread": _ORDERS.replace(
        'Literal["open", "paid", "sent"]', "Annotated[str, Spread(values=5_000)]"
    ).format(key='Key("{status}", "{order_id}", index="by-status")', rate=3000),
    "a text with another name": _ORDERS.replace("status", "supplier")
    .replace('Literal["open", "paid", "sent"]', "str")
    .format(key='Key("{supplier}", "{order_id}", index="by-supplier")', rate=3000),
    "few writes of a text": _ORDERS.replace('Literal["open", "paid", "sent"]', "str").format(
        key='Key("{status}", "{order_id}", index="by-status")', rate=300
    ),
    "few writes": _ORDERS.format(key='Key("{status}", "{order_id}", index="by-status")', rate=300),
    "a field with many values beside it": _ORDERS.format(
        key='Key("{status}#{order_id}", "{order_id}", index="by-status")', rate=5000
    ),
    "a sparse index of the rare ones": """
        shop = Table("shop", indexes=[GSI("failed", pk="g1", sk="g2")])

        class Job(Entity, table=shop):
            job_id: str
            failure: Literal["timeout", "crash"] | None = None
            primary = Key("JOB#{job_id}", "META")
            failed = Key("{failure}", "{job_id}", index="failed")
        """,
}

FIXED = {
    "a status with more writes than three keys serve": _ORDERS.format(
        key='Key("{status}#{shard}", "{order_id}", index="by-status", shard=Shard(10, of="order_id"))',
        rate=5000,
    ),
}

# Cases whose finding has a change that removes it.
MECHANICAL = {
    "a status with more writes than three keys serve",
    "a status that one common value fills",
}
