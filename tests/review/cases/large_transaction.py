"""Designs for the rule about transactions that DynamoDB does not accept."""

_ORDERS = """
    shop = Table("shop")

    class Line(Entity, table=shop):
        order: str
        number: int
        primary = Key("ORDER#{{order}}", "LINE#{{number:04d}}")

        @access({options})
        @classmethod
        def place(cls, line: "Line") -> {kind}:
            return {function}(Put(line))
    """


def _orders(options: str, kind: str = "Transaction", function: str = "transaction") -> str:
    return _ORDERS.format(options=options, kind=kind, function=function)


FOUND = {
    "150 items": ("error", _orders("rate=1, items=150, item_size=300")),
    "five megabytes": ("error", _orders("rate=1, items=50, item_size=100_000")),
}

SILENT = {
    "twenty items": _orders("rate=1, items=20, item_size=300"),
    "a hundred items": _orders("rate=1, items=100, item_size=40_000"),
    "a batch, which the store divides": _orders("rate=1, items=150, item_size=300", "Batch", "batch"),
    "an unknown number": _orders("rate=1"),
}

FIXED = {"150 items": _orders("rate=1, items=150, item_size=300", "Batch", "batch")}
