"""Designs for the rule about entities that are in an index without a key there."""

_TICKETS = """
    desk = Table("desk", indexes=[GSI("{index}", pk="{pk}", sk="{sk}", projection="keys")])

    class Ticket(Entity, table=desk, items=1_000_000):
        ticket_id: Annotated[str, Spread(values=1_000_000)]
        agent: str
        primary = Key("TICKET#{{ticket_id}}", "TICKET")
        {key}

        @access(rate={rate}, item_size=300)
        @classmethod
        def add(cls, ticket: "Ticket") -> Put["Ticket"]:
            return Put(ticket)

    class Watch(Entity, table=desk, items=3_000_000):
        ticket_id: Annotated[str, Spread(values=1_000_000)]
        user: Annotated[str, Spread(values=200_000)]
        primary = Key("TICKET#{{ticket_id}}", "USER#{{user}}")
        {watch}

        @access(rate=10, items=20, item_size=100)
        @classmethod
        def of_user(cls, user: str) -> Query["Watch"]:
            return {query}
    """
_WATCH = 'by_user = Key("USER#{user}", "TICKET#{ticket_id}", index="inverse")'
_QUERY = "cls.by_user(user=user).hydrate()"


def _inverse(rate: int) -> str:
    return _TICKETS.format(index="inverse", pk="sk", sk="pk", rate=rate, key="", watch=_WATCH, query=_QUERY)


def _own(rate: int) -> str:
    return _TICKETS.format(index="inverse", pk="g1", sk="g2", rate=rate, key="", watch=_WATCH, query=_QUERY)


FOUND = {
    "a literal sort key in an inverted index, with 2,000 writes a second": ("error", _inverse(2000)),
    "a literal sort key in an inverted index": ("info", _inverse(20)),
    "the discriminator, with 2,000 writes a second": (
        "error",
        _TICKETS.format(
            index="by-type",
            pk="type",
            sk="sk",
            rate=2000,
            key="",
            watch="",
            query='cls.primary(ticket_id="a")',
        ),
    ),
}

SILENT = {
    "attributes that only keys write": _own(2000),
    "an index of fields that only one entity has": _TICKETS.format(
        index="by-agent",
        pk="agent",
        sk="pk",
        rate=2000,
        key="",
        watch="",
        query='cls.primary(ticket_id="a")',
    ),
}

FIXED = {"a literal sort key in an inverted index, with 2,000 writes a second": _own(2000)}
