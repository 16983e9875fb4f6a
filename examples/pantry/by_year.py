"""The other way to keep reports apart: a year is a partition, the date and the id are the sort key.

A month and a day are then ranges within one partition, and a category is a filter that saves nothing. All writes of
a year fall on one partition of the index. `design.py` has a month and the category instead.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pksk import GSI, Attribute, Entity, F, Key, Query, Table, access, begins

services_by_year = Table(
    "services-by-year",
    pk="cId",
    sk="svcDTId",
    indexes=[GSI("svcYear-svcDTId-index", pk="svcYear", sk="svcDTId")],
    discriminator=None,
)


class Service(Entity, table=services_by_year):
    client_id: Annotated[str, Attribute("cId")]
    day: Annotated[date, Attribute("svcDate")]
    service_id: Annotated[str, Attribute("svcId")]
    category: Annotated[str, Attribute("svcCat")]

    primary = Key("{client_id}", "{day}#{service_id}")
    by_year = Key("{day:%Y}", index="svcYear-svcDTId-index")

    @access(items=50)
    @classmethod
    def history(cls, client_id: str) -> Query[Service]:
        """All that a client was given, newest first."""
        return cls.primary(client_id=client_id).reverse()

    @access(items=5000, example={"month": "2022-09", "category": "Food_Pantry"})
    @classmethod
    def of_month(cls, month: str, category: str) -> Query[Service]:
        """The monthly report: the month is a range, the category is read and left out."""
        return cls.by_year(day=begins(month)).filter(F.category == category)

    @access(items=60_000, example={"year": "2022"})
    @classmethod
    def of_year(cls, year: str) -> Query[Service]:
        """The annual report: one partition."""
        return cls.by_year(day=begins(year))
