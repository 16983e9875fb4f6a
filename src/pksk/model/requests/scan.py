"""The Scan request: every item of an entity, found by reading the whole table or index."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Generic

from pydantic import BaseModel

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote
from pksk.expressions import And, Condition, Placeholders
from pksk.model import planning
from pksk.model.declaration import E_co
from pksk.model.fields.field_conditions import condition_on_attributes, exclude_discriminators
from pksk.model.item_key import reject_vector_key
from pksk.model.markers import Unique
from pksk.model.markers.guard_items import GUARD_DISCRIMINATOR
from pksk.model.request_values import FrozenValues
from pksk.model.requests.query import row_count
from pksk.model.requests.request import Request

_MAX_SEGMENTS = 1_000_000


@dataclass(frozen=True)
class Scan(Request[list[E_co]], Generic[E_co]):
    """All items of an entity: reads every item of the table, and skips those of other entities.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> [request["Segment"] for request in Order.scan().segments(2).plan.requests]
        [0, 1]
    """

    kind = "scan"
    operation = "Scan"
    reads = True
    example = "{}.scan()"
    run_by = "scan(...)"
    ordered: ClassVar[bool] = False
    names_partition = False

    entity: type[E_co]
    key: str | None = None
    condition: Condition | None = None
    consistent: bool = False
    total_segments: int = 1
    whole_items: bool = False
    page_size: int | None = None
    # The model that counting reads items as.
    model: type[BaseModel] | None = None

    def __post_init__(self) -> None:
        if self.key is not None:
            declaration = self.entity.__pksk__
            reject_vector_key(declaration, declaration.key(self.key), f"{declaration.name}.{self.key}.scan")

    def filter(self, condition: Condition) -> Scan[E_co]:
        """Only the items for which a condition on fields holds; the cost stays the same."""
        condition_on_attributes(self.entity.__pksk__, condition)
        joined = condition if self.condition is None else And((self.condition, condition))
        return self.replace(condition=joined)

    def consistently(self) -> Scan[E_co]:
        """The same items as they are at this moment, at twice the price; not from a global index."""
        return self.replace(consistent=True)

    def segments(self, total: int) -> Scan[E_co]:
        """The same items, read in so many requests side by side."""
        if isinstance(total, bool) or not isinstance(total, int) or not 1 <= total <= _MAX_SEGMENTS:
            raise InvalidValue(
                "scan-segments",
                f"segments({quote(total)}): a scan has from 1 to {_MAX_SEGMENTS:,} segments.",
                fix="write segments(4), for example.",
            )
        return self.replace(total_segments=total)

    def pages(self, size: int) -> Scan[E_co]:
        """The same items, so many read by each request."""
        return self.replace(page_size=row_count("pages", size))

    def hydrate(self) -> Scan[E_co]:
        """Read the whole items from the table where the index does not hold them."""
        return self.replace(whole_items=True)

    @cached_property
    def plan(self) -> planning.Plan:
        """How the scan is made: one request for each segment."""
        declaration = self.entity.__pksk__
        key_query = planning.KeyQuery(self.entity, self.key or declaration.primary.name, FrozenValues({}))
        index = declaration.table.index(declaration.key(key_query.key or "").index)
        projection = planning.index_projection(self, key_query, index)
        if self.condition is not None:
            planning.check_filter_attributes(key_query, index, self.condition)
        source = f"index {index.name!r}" if index.name else f"table {declaration.table.name!r}"
        notes = (f"reads all of {source}", *projection.notes, *self._note(index.name))
        requests = tuple(
            self._request(index.name, projection, segment) for segment in range(self.total_segments)
        )
        return planning.Plan(
            index.name,
            requests,
            exact=None,
            notes=notes,
            reads_table=projection.reads_table,
            has_foreign_items=True,
            group_sizes=(1,) * len(requests),
            entities=(self.entity,),
        )

    def _note(self, index: str | None) -> tuple[str, ...]:
        others = [each.name for each in self.entity.__pksk__.table.entities if each.entity is not self.entity]
        if not others or self._returns_discriminator(index):
            return ()
        return (f"items of {', '.join(others)} come back too; pksk distinguishes them by their primary key",)

    def _returns_discriminator(self, index: str | None) -> bool:
        """Whether the scan returns the discriminator of each item."""
        table = self.entity.__pksk__.table
        return table.discriminator is not None and table.index(index).projects(table.discriminator)

    def _others(self, index: str | None) -> Condition | None:
        """The condition that excludes items with the discriminator of another entity, and guard items."""
        own = self.entity.__pksk__
        table = own.table
        others = [each.tag for each in table.entities if not each.is_subclass_of(own)]
        guards = [GUARD_DISCRIMINATOR] if any(each.marked(Unique) for each in (own, *table.entities)) else []
        return (
            exclude_discriminators(table, sorted(others + guards))
            if self._returns_discriminator(index)
            else None
        )

    def _request(
        self, index: str | None, projection: planning.IndexProjection, segment: int
    ) -> dict[str, Any]:
        declaration = self.entity.__pksk__
        request: dict[str, Any] = {"TableName": declaration.table.name}
        if index:
            request["IndexName"] = index
        if projection.select:
            request["Select"] = projection.select
        own = condition_on_attributes(declaration, self.condition) if self.condition is not None else None
        conditions = [each for each in (self._others(index), own) if each is not None]
        request |= planning.render_expressions(conditions, projection.attributes, Placeholders())
        if self.consistent:
            request["ConsistentRead"] = True
        if self.page_size is not None:
            request["Limit"] = self.page_size
        if self.total_segments > 1:
            request |= {"Segment": segment, "TotalSegments": self.total_segments}
        return request
