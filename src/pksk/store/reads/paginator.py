"""Reads the pages of one request of a plan, and buffers its items."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pksk.dataclass import dataclass
from pksk.expressions import (
    Condition,
    Path,
    Placeholders,
    Projection,
    evaluate,
    parse_condition,
    parse_key_condition,
    parse_projection,
    render,
)
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps
from pksk.values.boto3_form import from_boto3
from pksk.values.order import sortable_wire

if TYPE_CHECKING:
    from pksk.model import Plan
    from pksk.schema import Index
    from pksk.store.core import Core
    from pksk.values import WireItem


@dataclass
class Paginator:
    """One request of a plan: what it reads next, and what it has read.

    `number` counts the paginators of a read in its forward order. `after_position` is where a resumed paginator starts:
    a sort key, and whether items with that key are included.
    """

    number: int
    operation: str
    request: dict[str, Any]
    plan: Plan
    index: Index
    start: Mapping[str, Any] | None = None
    after_position: tuple[tuple[bytes, ...], bool] | None = None
    rows: deque[WireItem] = field(default_factory=deque)
    is_started: bool = False
    is_finished: bool = False
    evaluated: int = 0

    @property
    def descending(self) -> bool:
        """Whether it reads in descending order of sort keys."""
        return self.request.get("ScanIndexForward") is False

    @property
    def needs_more(self) -> bool:
        """Whether it must read a page before its next item is known."""
        return not self.rows and not self.is_finished

    def fill(self, core: Core, about: Any, *, until_found: bool = True) -> Steps[None]:
        """Read pages until there is an item or the end; only one page without `until_found`."""
        while self.needs_more:
            request = self.request
            if self.start is not None:
                request = {**request, "ExclusiveStartKey": self.start}
            answer = yield from send(core, self.operation, request, about)
            self.is_started = True
            self.start = answer.get("LastEvaluatedKey")
            self.is_finished = not self.start
            self.evaluated += answer.get("ScannedCount", 0)
            items = answer["Items"]
            self.rows.extend(items if self.after_position is None else filter(self._counts, items))
            self._widen(answer, about)
            if not until_found:
                return

    def _widen(self, answer: Mapping[str, Any], about: Any) -> None:
        """Read larger pages from now on, if the limit and not the page size ended a page.

        The first limit is the number of results. If more pages are needed, some items were not results: expired,
        deleted or unreadable. There may be many, and each of them must not cost a request.
        """
        limit, size = self.request.get("Limit"), getattr(about, "page_size", None)
        if limit is not None and limit != size and answer.get("ScannedCount") == limit:
            self.request = {**self.request, "Limit": 2 * limit if size is None else min(2 * limit, size)}

    def current_item(self, item: WireItem | None) -> WireItem | None:
        """The item of an index entry, read from the table; None if it is deleted or no longer meets the conditions.

        A global index lags, so the item may have changed since and may now have another index key.
        """
        if item is None or any(name not in item for name in self.index.keys):
            return None
        return item if all(evaluate(each, item) for each in self._asked) else None

    @cached_property
    def _asked(self) -> tuple[Condition, ...]:
        return request_conditions(self.request)

    def sort_position(self, row: WireItem) -> tuple[bytes, ...]:
        """The sort key of an item as bytes in DynamoDB's order."""
        return tuple(sortable_wire(row[name]) for name in self.index.sort if name in row)

    def _counts(self, row: WireItem) -> bool:
        assert self.after_position is not None
        place, included = self.after_position
        own = self.sort_position(row)
        if own == place:
            return included
        return own < place if self.descending else own > place


Group: TypeAlias = list[Paginator]


def paginators_of(plan: Plan, *, keyed: bool = False) -> list[Group]:
    """The paginators of a plan, in groups that run one after the other; those of a group are merged by sort key.

    `keyed` paginators keep the keys of all their items, for cursors.
    """
    found: list[Group] = []
    number = 0
    for branch in plan.branches or (plan,):
        index = branch.entities[0].__pksk__.table.index(branch.index)
        requests = iter(branch.requests)
        for size in branch.group_sizes if branch.shared_requests else ():
            group = []
            for _ in range(size):
                request = next(requests)
                operation = "Query" if "KeyConditionExpression" in request else "Scan"
                if keyed or size > 1:
                    request = with_attributes(request, index.keys)
                group.append(Paginator(number, operation, request, branch, index))
                number += 1
            found.append(group)
    return found


def without_projection(request: dict[str, Any]) -> dict[str, Any]:
    """The request without its projection, and without the names that only this used: DynamoDB rejects unused names."""
    if "ProjectionExpression" not in request:
        return request
    kept = {name: value for name, value in request.items() if name != "ProjectionExpression"}
    names: Mapping[str, str] = kept.pop("ExpressionAttributeNames", {})
    texts = [kept[each] for each in ("KeyConditionExpression", "FilterExpression") if each in kept]
    used = {
        name: meant for name, meant in names.items() if any(_names_placeholder(text, name) for text in texts)
    }
    return kept | ({"ExpressionAttributeNames": used} if used else {})


def _names_placeholder(text: str, name: str) -> bool:
    return re.search(rf"{re.escape(name)}(?!\w)", text) is not None


def with_attributes(request: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The request with further attributes in its projection, if it has one."""
    text = request.get("ProjectionExpression")
    if text is None:
        return request
    given: Mapping[str, str] = request.get("ExpressionAttributeNames", {})
    paths: Sequence[Path] = parse_projection(text, given).paths
    known = {path.elements[0] for path in paths if len(path.elements) == 1}
    more = [Path((name,)) for name in names if name not in known]
    if not more:
        return request
    placeholders = Placeholders(given, request.get("ExpressionAttributeValues", {}))
    rendered = render(Projection((*paths, *more)), placeholders).text
    return {**request, "ProjectionExpression": rendered, **placeholders.request()}


_PARSERS: Final[dict[str, Callable[..., Condition]]] = {
    "KeyConditionExpression": parse_key_condition,
    "FilterExpression": parse_condition,
    "SearchConditionExpression": parse_condition,
}


def request_conditions(request: Mapping[str, Any]) -> tuple[Condition, ...]:
    """The conditions of a read, on the key and on other attributes.

    Example:
        >>> len(request_conditions({"FilterExpression": "a = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}}))
        1
    """
    names = request.get("ExpressionAttributeNames", {})
    given = request.get("ExpressionAttributeValues", {}).items()
    values = {name: from_boto3(value) for name, value in given}
    return tuple(parse(request[name], names, values) for name, parse in _PARSERS.items() if name in request)
