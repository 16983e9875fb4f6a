"""Designs for the rule about transactions with a single member."""

_ORDERS = """
    shop = Table("shop")

    class Order(Entity, table=shop):
        order_id: str
        status: str = "open"
        primary = Key("ORDER#{{order_id}}", "META")

    @access(rate=1)
    def send({parameters}) -> {returns}[Order]:
        return {request}
    """
_UPDATE = 'Order.primary.update(order_id=order_id).set(status="sent")'

FOUND = {
    "an update": (
        "warning",
        _ORDERS.format(parameters="order_id: str", returns="Transaction", request=f"transaction({_UPDATE})"),
    ),
    "a put": (
        "warning",
        _ORDERS.format(parameters="order: Order", returns="Transaction", request="transaction(Put(order))"),
    ),
}

SILENT = {
    "two members": _ORDERS.format(
        parameters="order_id: str, other: Order",
        returns="Transaction",
        request=f"transaction({_UPDATE}, Put(other))",
    ),
    "as many as are given": _ORDERS.format(
        parameters="orders: list[Order]", returns="Transaction", request="transaction(*map(Put, orders))"
    ),
    "the update itself": _ORDERS.format(parameters="order_id: str", returns="Update", request=_UPDATE),
}

FIXED = {
    "an update": _ORDERS.format(parameters="order_id: str", returns="Update", request=_UPDATE),
}

# Cases whose finding has a change that removes it.
MECHANICAL = {
    "an update",
    "a put",
}
