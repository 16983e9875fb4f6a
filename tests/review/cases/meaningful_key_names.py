"""Designs for the rule about key attributes with general names."""

_ORDERS = """
    orders = Table("orders"{options})

    class Order(Entity, table=orders):
        customer: str
        day: date
        primary = Key("{{customer}}", "{{day}}")
    """
_ASKED = ', conventions=["meaningful-key-names"]'

FOUND = {
    "pk and sk": ("warning", _ORDERS.format(options=_ASKED)),
    "an index": (
        "warning",
        _ORDERS.format(options=f', pk="customer", sk="day", indexes=[GSI("by-day", pk="gsi1pk")]{_ASKED}'),
    ),
}

SILENT = {
    "a table that does not ask": _ORDERS.format(options=""),
    "names with a meaning": _ORDERS.format(options=f', pk="customer", sk="day"{_ASKED}'),
    "several entities": f"{_ORDERS.format(options=_ASKED)}\n"
    """
    class Customer(Entity, table=orders):
        customer: str
        primary = Key("CUST#{customer}", "PROFILE")
    """,
}

FIXED = {"pk and sk": SILENT["names with a meaning"]}
