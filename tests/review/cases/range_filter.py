"""Designs for the rule about queries that filter by a range of times."""

_ORDERS = """
    shop = Table("shop", ttl="expires")

    class Order(Entity, table=shop, items=1_000_000):
        customer: str
        id: UUID
        at: AwareDatetime
        expires: Annotated[datetime | None, TTL()] = None
        primary = Key("CUST#{{customer}}", "{sort}")

        @access(rate={rate}, items={items}, item_size=400)
        @classmethod
        def since(cls, customer: str, start: AwareDatetime) -> Query["Order"]:
            return cls.primary(customer=customer{rest}
    """

_FILTER = ").filter(F.at >= start)"

FOUND = {
    "of many items with random ids": (
        "warning",
        _ORDERS.format(sort="{id}", rate=20, items=300, rest=_FILTER),
    ),
    "by where(), as no key has the time": (
        "warning",
        _ORDERS.format(sort="{id}", rate=20, items=300, rest=", at=gte(start))").replace(
            "cls.primary(", "cls.where("
        ),
    ),
    "between two times, beside another condition": (
        "warning",
        _ORDERS.format(
            sort="ORDER#{id}",
            rate=20,
            items=300,
            rest=").filter(F.at.between(start, start) & F.expires.missing())",
        ),
    ),
}

SILENT = {
    "a range of the sort key": _ORDERS.format(sort="{at}#{id}", rate=20, items=300, rest=", at=gte(start))"),
    "of a few items": _ORDERS.format(sort="{id}", rate=20, items=10, rest=_FILTER),
    "called a few times a day": _ORDERS.format(sort="{id}", rate='"5/day"', items=300, rest=_FILTER),
    "of which the rate is not declared": _ORDERS.format(sort="{id}", rate="None", items=300, rest=_FILTER),
    "of items that have not expired": _ORDERS.format(
        sort="{id}", rate=20, items=300, rest=").filter(F.expires > start)"
    ),
    "one of two alternatives": _ORDERS.format(
        sort="{id}", rate=20, items=300, rest=").filter((F.at > start) | F.expires.missing())"
    ),
}

FIXED = {"of many items with random ids": SILENT["a range of the sort key"]}
