"""Designs and traces for the rule about scans in a trace that no access pattern declares."""

from tests.review.traces import reads, scans

_KEYS = [f"ORDER#{number}" for number in range(300)]

_ORDERS = """
    shop = Table("shop", indexes=[GSI("by-day", pk="g1", sk="g2")])

    class Order(Entity, table=shop):
        order_id: str
        day: date
        primary = Key("ORDER#{{order_id}}", "META")
        by_day = Key("{{day}}", "{{order_id}}", index="by-day")

        @access(rate=1)
        @classmethod
        def of_day(cls, day: date) -> Query["Order"]:
            return cls.by_day(day=day)
    {more}
    """
_PLAIN = _ORDERS.format(more="")
_DECLARED = _ORDERS.format(
    more="""
        @access(rate="1/day")
        @classmethod
        def export(cls) -> Scan["Order"]:
            return cls.scan()
    """
)

FOUND = {"a table": ("warning", _PLAIN), "an index": ("warning", _PLAIN)}

SILENT = {"a scan that is declared": _DECLARED, "few pages": _PLAIN, "few units": _PLAIN, "no scan": _PLAIN}

FIXED = {"a table": _DECLARED}

TRAFFIC = {
    "a table": scans("shop", 20),
    "an index": scans("shop", 10, "by-day"),
    "a scan that is declared": scans("shop", 20),
    "few pages": scans("shop", 9),
    "few units": scans("shop", 10) + reads("shop", _KEYS * 90),
    "no scan": reads("shop", _KEYS),
}
