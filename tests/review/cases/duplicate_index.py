"""Designs for the rule about indexes with the keys of the table or of another index."""

_ORDERS = """
    shop = Table("shop", indexes=[GSI("one", pk="g1", sk="g2"), GSI("two", pk="g3", sk="g4")])

    class Order(Entity, table=shop):
        customer: str
        number: int
        day: date
        primary = Key("CUST#{{customer}}", "ORDER#{{number:08d}}")
        one = Key("CUST#{{customer}}", "{{day}}#{{number:08d}}", index="one")
        two = Key({two}, index="two")

        @access(rate=1, items=2)
        @classmethod
        def first(cls, customer: str) -> Query["Order"]:
            return cls.one(customer=customer)

        @access(rate=1, items=2)
        @classmethod
        def second(cls, {parameter}) -> Query["Order"]:
            return cls.two({parts})
    """

FOUND = {
    "the keys of the table": (
        "warning",
        _ORDERS.format(
            two='"CUST#{customer}", "ORDER#{number:08d}"',
            parameter="customer: str",
            parts="customer=customer",
        ),
    ),
    "the keys of another index": (
        "warning",
        _ORDERS.format(
            two='"CUST#{customer}", "{day}#{number:08d}"',
            parameter="customer: str",
            parts="customer=customer",
        ),
    ),
}

FOUND["the keys of the table with smaller entries"] = (
    "info",
    FOUND["the keys of the table"][1]
    .replace('sk="g4"', 'sk="g4", projection="keys"')
    .replace("cls.two(customer=customer)", "cls.two(customer=customer).hydrate()"),
)

SILENT = {
    "other keys": _ORDERS.format(
        two='"DAY#{day}", "{customer}#{number:08d}"', parameter="day: date", parts="day=day"
    ),
    "the same keys for some items": _ORDERS.format(
        two='"CUST#{customer}", "{day}#{number:08d}", when=F.number > 100',
        parameter="customer: str",
        parts="customer=customer",
    ),
}

FIXED = {
    "the keys of the table": _ORDERS.format(
        two='"DAY#{day}", "{customer}#{number:08d}"', parameter="day: date", parts="day=day"
    ),
}
