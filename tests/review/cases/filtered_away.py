"""Designs for the rule about filters that drop most of what a query reads, measured or with a trace."""

from tests.review.traces import queries

_ORDERS = """
    shop = Table("shop", indexes=[{indexes}])

    class Order(Entity, table=shop):
        customer: str
        number: int
        status: Literal["open", "paid", "sent", "returned"]
        city: str = "Bern"
        primary = Key("CUST#{{customer}}", "{{number:06d}}")
    {keys}
        @access(rate=50, items=100)
        @classmethod
        def open_of(cls, customer: str) -> Query["Order"]:
            return {query}
    {more}
    """
_STATUS = 'cls.primary(customer=customer).filter(F.status == "open")'
_CITY = 'cls.primary(customer=customer).filter(F.city == "Rome")'
_STORED = """
    stored = [
        Order(customer=f"c{number % 3}", number=number, status="open", city="Rome" if number % 5 == 0 else "Bern")
        for number in range(300)
    ]
    """


def _orders(query: str, more: str = "", indexes: str = "", keys: str = "") -> str:
    return _ORDERS.format(query=query, more=more, indexes=indexes, keys=keys)


_SPARSE = _orders(
    "cls.is_open(customer=customer)",
    indexes='GSI("open", pk="g1", sk="g2")',
    keys='    is_open = Key("{customer}", "{number:06d}", index="open", when=F.status == "open")\n',
)


def _large(spread: str, items: int = 400) -> str:
    found = _orders(_CITY.replace('"Rome"', '"Bern"')).replace("city: str", f"city: Annotated[str, {spread}]")
    return found.replace("items=100", f"items={items}, item_size=400")


FOUND = {
    "a status, on generated items": ("warning", _orders(_STATUS)),
    "a city, on items of the design": ("warning", _orders(_CITY, _STORED)),
    "all queries of a trace": ("warning", _orders("cls.primary(customer=customer)")),
    "a city of which the spread is declared": ("info", _large("Spread(values=500)")),
}

SILENT = {
    "a city, on generated items": _orders(_CITY),
    "a status that most items have": _orders(_STATUS, _STORED),
    "a status that is not measured": _orders(_STATUS),
    "a filter that drops little": _orders('cls.primary(customer=customer).filter(F.status != "open")'),
    "a city that most have": _large("Spread(values=500, largest=0.8)"),
    "a city in a small partition": _large("Spread(values=500)", items=20),
    "a trace of few items": _orders("cls.primary(customer=customer)"),
}

FIXED = {"a status, on generated items": _SPARSE}

MEASURED = {
    "a status, on generated items",
    "a city, on items of the design",
    "a city, on generated items",
    "a status that most items have",
    "a filter that drops little",
}
_KEYS = [f"CUST#c{number}" for number in range(20)]
TRAFFIC = {
    "all queries of a trace": queries("shop", _KEYS, read=100, returned=3),
    "a trace of few items": queries("shop", _KEYS, read=10, returned=3),
}
