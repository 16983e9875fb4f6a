"""Designs for the rule about index keys that join several fields."""

_ORDERS = """
    shop = Table("shop", indexes=[GSI("by-status", {attributes})]{conventions})

    class Order(Entity, table=shop):
        order_id: str
        tenant: str
        status: str
        day: date
        primary = Key("ORDER#{{order_id}}", "META")
        by_status = Key({key}, index="by-status")
    """
_ASKED = ', conventions=["attributes-in-index-keys"]'


def _orders(key: str, attributes: str = 'pk="g1", sk="g2"', conventions: str = _ASKED) -> str:
    return _ORDERS.format(key=key, attributes=attributes, conventions=conventions)


FOUND = {
    "two fields in a partition key": ("warning", _orders('"{tenant}#{status}", "{day}"')),
    "two fields in a sort key": ("warning", _orders('"{tenant}", "STATUS#{status}#{day}"')),
}

SILENT = {
    "a table that does not ask": _orders('"{tenant}#{status}", "{day}"', conventions=""),
    "one field each": _orders('"TENANT#{tenant}", "{day}"'),
    "a part of a field": _orders('"{tenant}#{day:%Y-%m}", "{order_id}"'),
    "attributes of their own": _orders(
        '("{tenant}", "{status}"), "{day}"', 'pk=["tenant", "status"], sk="day"'
    ),
}

FIXED = {"two fields in a partition key": SILENT["attributes of their own"]}
