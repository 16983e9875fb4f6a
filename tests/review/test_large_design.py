"""A design of a hundred entities is reviewed in less than two seconds, whether they are in one table or in many."""

from __future__ import annotations

from time import process_time

import pytest

from pksk.review import review
from tests.review.designs import tables_of

_ENTITIES = 100

_TABLE = """
table{number} = Table(
    "table-{number}",
    indexes=[GSI("by-status", pk="g1", sk="g2"), GSI("by-day", pk="g3", sk="g4")],
    conventions=["schema-name-first", "guessable-partition-keys", "sort-key-by-bounds", "unique-across-tables"],
)
"""
_ENTITY = """
class {name}(Entity, table=table{table}, items=1_000_000, per_partition=100):
    customer: str
    number: int
    day: date
    status: Literal["open", "sent", "paid"]
    email: str
    updated: Annotated[datetime | None, Updated()] = None
    primary = Key("CUST#{{customer}}", "{name}#{{number:06d}}")
    by_status = Key("{name}#{{status}}#{{customer}}", "{{day}}#{{number:06d}}", index="by-status")
    by_day = Key("{name}#{{day}}", "{{customer}}#{{number:06d}}", index="by-day")

    @access(rate=40, item_size=400)
    @classmethod
    def add(cls, item: "{name}") -> Put["{name}"]:
        return Put(item)

    @access(rate=40, items=20)
    @classmethod
    def of_customer(cls, customer: str) -> Query["{name}"]:
        return cls.primary(customer=customer).filter(F.email == "ann@example.org")

    @access(rate=4, items=20)
    @classmethod
    def of_status(cls, customer: str, status: Literal["open", "sent", "paid"]) -> Query["{name}"]:
        return cls.by_status(customer=customer, status=status).reverse().limit(20)

    @access(rate=40)
    @classmethod
    def ship(cls, customer: str, number: int) -> Update["{name}"]:
        return cls.primary.update(customer=customer, number=number).set(status="sent")

    @access(rate=1, items=20)
    @classmethod
    def of_day(cls, day: date) -> Query["{name}"]:
        return cls.by_day(day=day)
"""


@pytest.mark.parametrize("tables", [1, 10, _ENTITIES])
def test_a_hundred_entities_are_reviewed_in_less_than_two_seconds(tables: int) -> None:
    source = "".join(_TABLE.format(number=number) for number in range(tables))
    source += "".join(
        _ENTITY.format(name=f"Entity{number}", table=number % tables) for number in range(_ENTITIES)
    )
    declared = tables_of(source)

    begun = process_time()
    found = review(*declared)
    seconds = process_time() - begun

    assert len(list(found.design.entities)) == _ENTITIES
    assert len(found.design.uses) == 5 * _ENTITIES
    assert seconds < 2
