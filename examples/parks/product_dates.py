"""Another layout for the dates of a product: a partition for each product, and the day alone as the sort key.

`products.py` keeps all products of an activity in one partition, so one request reads them all. Here each product
has its own partition. `pksk cost` compares the two.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated
from uuid import UUID, uuid4

from pydantic import Field

from pksk import Attribute, Key, Query, Table, access, between

from .tables import ItemKey, ProductEntity, product_key

product_dates = Table("product-dates", discriminator="schema")


class ProductDate(ProductEntity, table=product_dates):
    day: date
    policies: list[ItemKey] = []
    is_open: Annotated[bool, Attribute("isOpen")] = True
    global_id: Annotated[UUID, Attribute("globalId")] = Field(default_factory=uuid4)

    primary = Key("productDate::{collection_id}::{activity_type}::{activity_id}::{product_id}", "{day}")

    @access(rate=40, items=31, example={"first": date(2025, 12, 1), "last": date(2025, 12, 31)})
    @classmethod
    def within(
        cls,
        collection_id: str,
        activity_type: str,
        activity_id: int,
        product_id: int,
        first: date,
        last: date,
    ) -> Query[ProductDate]:
        """The dates of one product in a span of days."""
        return cls.primary(
            **product_key(collection_id, activity_type, activity_id, product_id), day=between(first, last)
        )
