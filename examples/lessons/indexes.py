"""Indexes: only for questions that are really asked, as small as these allow, and never in place of a scan's bill."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import BaseModel

from pksk import GSI, LSI, Entity, F, Key, Query, Scan, Table, Update, access, between

tickets = Table(
    "tickets",
    indexes=[
        GSI("by-status", pk="assignee", sk="status_day"),
        GSI("escalated", pk="escalated_to", projection=["title"]),
        LSI("by-priority", sk="priority_day", projection="keys"),
    ],
)


class TicketTitle(BaseModel):
    title: str


class Ticket(Entity, table=tickets):
    """A ticket of a customer, found by who works on it, and while it is escalated, by whom it waits for."""

    customer: str
    number: int
    title: str
    day: date
    assignee: str
    status: Literal["open", "waiting", "closed"] = "open"
    priority: int = 5
    escalated_to: str | None = None

    primary = Key("CUSTOMER#{customer}", "TICKET#{number:08d}")
    by_status = Key("{assignee}", "{status}#{day}", index="by-status")
    escalated = Key("{escalated_to}", index="escalated")
    # A local index shares the partition of its table, and with it the limit of 10 GB; it can never be added later.
    by_priority = Key("CUSTOMER#{customer}", "{priority:02d}#{day}", index="by-priority")

    @access(items=30, example={"first": date(2025, 1, 1), "last": date(2025, 1, 31)})
    @classmethod
    def open_of(cls, assignee: str, first: date, last: date) -> Query[Ticket]:
        """The open tickets of someone, of a span of days: status and date in one sort key."""
        return cls.by_status(assignee=assignee, status="open", day=between(first, last))

    @access(items=3)
    @classmethod
    def waiting_for(cls, escalated_to: str) -> Query[TicketTitle]:
        """What waits for someone; a ticket that is not escalated is not in this index."""
        return cls.escalated(escalated_to=escalated_to).into(TicketTitle)

    @access(items=3)
    @classmethod
    def whole_waiting_for(cls, escalated_to: str) -> Query[Ticket]:
        """The same with all fields, which are read from the table one by one."""
        return cls.escalated(escalated_to=escalated_to).hydrate()

    @access(items=5)
    @classmethod
    def urgent(cls, customer: str) -> Query[Ticket]:
        """The most urgent tickets of a customer, as they are at this moment: a local index can do that."""
        return cls.by_priority(customer=customer, priority=1).hydrate().consistently()

    @access()
    @classmethod
    def close(cls, ticket: Ticket) -> Update[Ticket]:
        """A ticket closed: it moves within one index, for which its day must be known, and leaves another."""
        change = cls.primary.update(customer=ticket.customer, number=ticket.number)
        change = change.set(status="closed").remove("escalated_to").with_read({"day": ticket.day})
        return change.when(F.status != "closed")

    @access(items=1_000_000, item_size=1024)
    @classmethod
    def everything(cls) -> Scan[Ticket]:
        """All tickets: a million of 1 KB is a bill for every one of them. For exports, not for screens."""
        return cls.scan()
