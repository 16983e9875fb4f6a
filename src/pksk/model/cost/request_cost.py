"""What one kind of request costs: its estimate, its price over stored items, and what to note about both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from pksk.capacity import Cost, failed_condition_cost, write_cost
from pksk.dataclass import dataclass, field
from pksk.errors import InvalidValue, quote
from pksk.expressions import evaluate, parse_condition
from pksk.model.cost.tally import Tally, items_in_words
from pksk.model.declaration import Declaration
from pksk.schema import Table
from pksk.values import WireItem, item_size
from pksk.values.wire import from_boto3

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.model.requests.request import Request

R = TypeVar("R", bound="Request")


def _table_title(request: Request) -> str:
    declaration = request.entities[0].__pksk__
    return f"{request.operation} table {declaration.table.name!r}: {declaration.name}"


def _nothing(_: object) -> Iterator[str]:
    return iter(())


@dataclass(frozen=True)
class RequestCost(Generic[R]):
    """The functions for one kind of request, as `pksk.model.requests.costs` lists them.

    `estimate` adds to a tally, in a transaction or not; `exact` is the price over the items that the request meets.
    A kind that writes or checks one item has an `attempt`, which decides its price. `extra_items` says for which
    markers a store adds items.
    """

    estimate: Callable[[R, Tally, bool], None]
    exact: Callable[[R, Sequence[object]], Cost] | None = None
    attempt: Callable[[R, WireItem | None], WriteAttempt] | None = None
    title: Callable[[R], str] = _table_title
    notes: Callable[[R], Iterator[str]] = _nothing
    extra_items: Callable[[R], Iterator[str]] = _nothing

    def price(self, request: R, images: Sequence[object]) -> Cost:
        """The price of a request over the items that it meets."""
        if self.exact is not None:
            return self.exact(request, images)
        if self.attempt is None:
            raise TypeError(f"{type(request).__name__} has an estimate, but no price")
        check_image_count(request, images, 1)
        return self.attempt(request, wire_item(request, images[0])).cost()


def check_image_count(request: Request, images: Sequence[object], count: int) -> None:
    """Raise unless there are as many images as the request meets."""
    if len(images) != count:
        raise _images_error(request, f"priced over {items_in_words(len(images))}, where it meets {count}.")


def wire_items(read: Request, rows: object) -> list[WireItem]:
    """A list of items in DynamoDB's JSON."""
    # An entity is iterable itself, as every model is.
    if isinstance(rows, Mapping) or hasattr(rows, "__pksk__") or not isinstance(rows, Iterable):
        raise _images_error(read, f"{quote(rows)} is not a list of items.")
    return [item for each in rows if (item := wire_item(read, each)) is not None]


def wire_item(request: Request, image: object) -> WireItem | None:
    """An item in DynamoDB's JSON, from an entity or a mapping; None for none."""
    if image is None:
        return None
    if isinstance(image, Mapping):
        return _item_from_mapping(image)
    declaration: Declaration | None = getattr(type(image), "__pksk__", None)
    if declaration is None:
        raise _images_error(request, f"{quote(image)} is not an item.")
    return declaration.to_item(cast("Entity", image))


def _item_from_mapping(image: Mapping[str, Any]) -> WireItem:
    try:
        item = {name: from_boto3(wire) for name, wire in image.items()}
    except (AttributeError, TypeError, ValueError):
        item = dict(image)
    item_size(item)  # raises for what is not an item
    return item


def _images_error(request: Request, problem: str) -> InvalidValue:
    return InvalidValue(
        "priced-images",
        f"{type(request).__name__}: {problem}",
        fix="give the stored item of each, or None where there is none; a query takes a list for each request.",
    )


@dataclass(frozen=True)
class WriteAttempt:
    """One write over one stored item; `first` is what must be read before the write can be made."""

    table: Table
    before: WireItem | None
    after: WireItem | None
    holds: bool
    first: Cost = field(default_factory=Cost)

    def cost(self, *, transactional: bool = False, cancelled: bool = False) -> Cost:
        """What is charged; `cancelled` where another member of its transaction fails."""
        charged = self._failed if cancelled or not self.holds else self._success_cost
        return self.first + charged(transactional)

    def _success_cost(self, transactional: bool) -> Cost:
        return write_cost(self.table, self.before, self.after, transactional=transactional)

    def _failed(self, transactional: bool) -> Cost:
        return failed_condition_cost(self.table, self.before, self.after, transactional=transactional)


def condition_holds(request: Mapping[str, Any], before: WireItem | None) -> bool:
    """Whether the condition of a request holds for the stored item, or for none."""
    text = request.get("ConditionExpression")
    return text is None or evaluate(parse_condition(text, *placeholders(request)), before or {})


def placeholders(request: Mapping[str, Any]) -> tuple[Mapping[str, str], Mapping[str, Any]]:
    """The names and values of a request."""
    return request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
