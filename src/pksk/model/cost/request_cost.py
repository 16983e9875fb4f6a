"""What one kind of request costs: its estimate, its price over stored items, and what to note about both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from pksk.capacity import Cost
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote
from pksk.model.cost.tally import Tally, items_in_words
from pksk.model.cost.write_attempt import WriteAttempt
from pksk.values import WireItem, item_size
from pksk.values.boto3_form import from_boto3

R = TypeVar("R")


def _table_title(request: Any) -> str:
    declaration = request.entity.__pksk__
    return f"{request.operation} table {declaration.table.name!r}: {declaration.name}"


def _no_price(request: object, _: Sequence[Any]) -> Cost:
    raise TypeError(f"{type(request).__name__} has an estimate, but no price")


def _nothing(_: Any) -> Iterator[str]:
    return iter(())


@dataclass(frozen=True)
class RequestCost(Generic[R]):
    """The functions for one kind of request, as `pksk.model.requests.kinds` lists them.

    `estimate` adds to a tally, in a transaction or not; `price` is exact, over the items that the request meets.
    A kind that writes or checks one item has an `attempt`. `extra_items` says for which markers a store adds items.
    """

    estimate: Callable[[R, Tally, bool], None]
    price: Callable[[R, Sequence[Any]], Cost] = _no_price
    attempt: Callable[[R, WireItem | None], WriteAttempt] | None = None
    title: Callable[[R], str] = _table_title
    notes: Callable[[R], Iterator[str]] = _nothing
    extra_items: Callable[[R], Iterator[str]] = _nothing


def price_write(attempt: Callable[[R, WireItem | None], WriteAttempt]) -> Callable[[R, Sequence[Any]], Cost]:
    """The price of a kind that writes or checks one item, from what becomes of the item."""

    def price(request: R, images: Sequence[Any]) -> Cost:
        check_image_count(request, images, 1)
        return attempt(request, wire_item(request, images[0])).cost()

    return price


def check_image_count(request: object, images: Sequence[Any], count: int) -> None:
    """Raise unless there are as many images as the request meets."""
    if len(images) != count:
        raise _images_error(request, f"priced over {items_in_words(len(images))}, where it meets {count}.")


def wire_items(read: object, rows: Any) -> list[WireItem]:
    """A list of items in DynamoDB's JSON."""
    # An entity is iterable itself, as every model is.
    if isinstance(rows, Mapping) or hasattr(rows, "__pksk__") or not isinstance(rows, Iterable):
        raise _images_error(read, f"{quote(rows)} is not a list of items.")
    return [item for each in rows if (item := wire_item(read, each)) is not None]


def wire_item(request: object, image: Any) -> WireItem | None:
    """An item in DynamoDB's JSON, from an entity or a mapping; None for none."""
    if image is None:
        return None
    if isinstance(image, Mapping):
        return _item_from_mapping(image)
    declaration = getattr(type(image), "__pksk__", None)
    if declaration is None:
        raise _images_error(request, f"{quote(image)} is not an item.")
    item: WireItem = declaration.to_item(image)
    return item


def _item_from_mapping(image: Mapping[str, Any]) -> WireItem:
    try:
        item = {name: from_boto3(wire) for name, wire in image.items()}
    except (AttributeError, TypeError, ValueError):
        item = dict(image)
    item_size(item)  # raises for what is not an item
    return item


def _images_error(request: object, problem: str) -> InvalidValue:
    return InvalidValue(
        "priced-images",
        f"{type(request).__name__}: {problem}",
        fix="give the stored item of each, or None where there is none; a query takes a list for each request.",
    )
