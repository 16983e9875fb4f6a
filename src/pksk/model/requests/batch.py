"""The Batch request: several reads or several writes, each independent of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from pksk.dataclass import dataclass
from pksk.errors import DesignError
from pksk.limits import BATCH_GET_ITEMS, BATCH_WRITE_ITEMS
from pksk.model.declaration import E_co
from pksk.model.requests.delete import Delete
from pksk.model.requests.get import Get
from pksk.model.requests.members import E, RequestGroup, check_members, member_fix
from pksk.model.requests.put import Put
from pksk.model.requests.request import Request

T = TypeVar("T")


def batch(*requests: Get[E] | Put[E] | Delete[E]) -> Batch[E]:
    """Several reads, or several writes without conditions; cheaper in round trips, and not all or nothing.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> batch(*(Order.primary.get(id=str(n)) for n in range(150))).requests[1]["RequestItems"].keys()
        dict_keys(['orders'])
    """
    for each in requests:
        _check_member(each)
    check_members("batch", requests)
    return Batch(requests)


def _check_member(request: object) -> None:
    if not isinstance(request, Request) or not request.batchable:
        raise DesignError(
            "write-not-batchable",
            f"batch: {type(request).__name__} cannot be in a batch.",
            expected="A batch holds Gets, or Puts and Deletes.",
            fix=member_fix("batch", request) or "run updates one by one, or in a transaction.",
        )
    if getattr(request, "conditional", False):
        entity = request.entities[0].__name__
        why = " because other entities share its key"
        shared = getattr(request, "shares_key", False)
        raise DesignError(
            "write-batch-condition",
            f"batch: a {type(request).__name__} of {entity} {'needs' if shared else 'has'} a condition"
            f"{why if shared else ''}, and batches do not support conditions.",
            fix="write it by itself, or write all of them in a transaction, which supports conditions.",
        )


@dataclass(frozen=True)
class Batch(RequestGroup[E_co]):
    """Several reads or several writes, in as few requests as DynamoDB allows.

    Example:
        >>> from pksk import Entity, Key, Put, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> batch(Put(Order(id="7"))).operation
        'BatchWriteItem'
    """

    kind = "batch"
    operations = ("BatchGetItem", "BatchWriteItem")

    members: tuple[Get[E_co] | Put[E_co] | Delete[E_co], ...]

    @property
    def requests(self) -> tuple[dict[str, Any], ...]:
        """The requests: 100 items in one that reads, 25 in one that writes."""
        gets = [each for each in self.members if isinstance(each, Get)]
        writes = [each for each in self.members if not isinstance(each, Get)]
        # Consistency is an option of the table in a request, so the two kinds do not share one.
        kinds = ([each for each in gets if each.consistent is it] for it in (False, True))
        return (
            *(_get_request(some) for kind in kinds for some in _chunks(kind, BATCH_GET_ITEMS)),
            # As many items of the largest size are below the 16 MB of a batch, so only their number counts.
            *(_write_request(some) for some in _chunks(writes, BATCH_WRITE_ITEMS)),
        )

    @property
    def api_requests(self) -> tuple[dict[str, Any], ...]:
        """The requests to DynamoDB, as boto3 takes them."""
        return self.requests


def _chunks(members: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (members[start : start + size] for start in range(0, len(members), size))


def _get_request(gets: Iterable[Get]) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = {}
    for get in gets:
        table = tables.setdefault(get.table_name, {"Keys": []})
        table["Keys"].append(get.item_key)
        if get.consistent:
            table["ConsistentRead"] = True
    return {"RequestItems": tables}


def _write_request(writes: Iterable[Put | Delete]) -> dict[str, Any]:
    tables: dict[str, list[dict[str, Any]]] = {}
    for write in writes:
        tables.setdefault(write.table_name, []).append(write.batch_member)
    return {"RequestItems": tables}
