"""The Batch request: several reads or several writes, each independent of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from pksk.dataclass import dataclass
from pksk.errors import DesignError
from pksk.limits import BATCH_GET_ITEMS, BATCH_WRITE_ITEMS
from pksk.model.requests.delete import Delete
from pksk.model.requests.get import Get
from pksk.model.requests.members import E_co, check_no_duplicates, check_not_empty, member_fix
from pksk.model.requests.put import Put
from pksk.model.requests.request import Kind, Request
from pksk.values.boto3_form import item_to_boto3

if TYPE_CHECKING:
    from pksk.model.requests.members import E

__all__ = ["Batch", "batch"]


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
    check_not_empty("batch", requests)
    for each in requests:
        _check_member(each)
    if len({isinstance(each, Get) for each in requests}) > 1:
        raise DesignError(
            "write-mixed",
            "batch: reads and writes in one batch; DynamoDB has a call for each.",
            fix="make two batches.",
        )
    check_no_duplicates("batch", requests)
    return Batch(requests)


def _check_member(request: object) -> None:
    if isinstance(request, (Put, Delete)) and request.conditional:
        kind = f"{type(request).__name__} of {request.declaration.name}"
        shared = isinstance(request, Delete) and request.shared
        why = "which shares its key and must ask what it deletes, by a condition" if shared else ""
        raise DesignError(
            "write-batch-condition",
            f"batch: a {kind}{', ' + why if why else ' with a condition'}; batches take none.",
            fix="write it by itself, or all of them in a transaction, which has conditions.",
        )
    if not isinstance(request, (Get, Put, Delete)):
        raise DesignError(
            "write-not-batchable",
            f"batch: {type(request).__name__} cannot be in a batch.",
            expected="A batch holds Gets, or Puts and Deletes.",
            fix=member_fix("batch", request) or "run updates one by one, or in a transaction.",
        )


@dataclass(frozen=True)
class Batch(Request, Generic[E_co]):
    """Several reads or several writes, in as few requests as DynamoDB allows.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> batch(Put(Order(id="7"))).operation
        'BatchWriteItem'
    """

    kind: ClassVar[Kind] = "batch"

    members: tuple[Get[E_co] | Put[E_co] | Delete[E_co], ...]

    @property
    def operation(self) -> str:
        """The operation that the requests are of."""
        return "BatchGetItem" if isinstance(self.members[0], Get) else "BatchWriteItem"

    @property
    def requests(self) -> tuple[dict[str, Any], ...]:
        """The requests: 100 items in one that reads, 25 in one that writes."""
        gets = [each for each in self.members if isinstance(each, Get)]
        if gets:
            # Consistency is an option of the table in a request, so the two kinds do not share one.
            kinds = ([each for each in gets if each.consistent is wanted] for wanted in (False, True))
            return tuple(_get_request(some) for kind in kinds for some in _chunks(kind, BATCH_GET_ITEMS))
        # As many items of the largest size are below the 16 MB of a batch, so that their number alone decides.
        return tuple(_write_request(some) for some in _chunks(self.members, BATCH_WRITE_ITEMS))


def _chunks(members: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (members[start : start + size] for start in range(0, len(members), size))


def _get_request(gets: Iterable[Get[Any]]) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = {}
    for get in gets:
        request = get.request
        table = tables.setdefault(request["TableName"], {"Keys": []})
        table["Keys"].append(request["Key"])
        if get.consistent:
            table["ConsistentRead"] = True
    return {"RequestItems": tables}


def _write_request(writes: Iterable[Put[Any] | Delete[Any]]) -> dict[str, Any]:
    tables: dict[str, list[dict[str, Any]]] = {}
    for write in writes:
        made = (
            {"PutRequest": {"Item": item_to_boto3(write.item)}}
            if isinstance(write, Put)
            else {"DeleteRequest": {"Key": write.item_key}}
        )
        tables.setdefault(write.table_name, []).append(made)
    return {"RequestItems": tables}
