"""Random queries of tables and indexes of every kind, against a list that Python filters and sorts."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.engine.operations.query import query

from .shelf import Item, Shelf

_TEXTS = ["\x00", "a", "a\x00", "a\x00b", "a\x01", "ab", "b", "\x7f", "é", "\uffff", "\U0001f600"]
_NUMBERS = ["-1000000", "-10", "-9.5", "-1", "0", "0.5", "1", "9", "10", "100", "1" * 38]
_BINARIES = ["AA==", "AAA=", "AP8=", "AQ==", "YQ==", "/w==", "//8=", "/wA="]
_VALUES: Final[dict[str, list[str]]] = {"S": _TEXTS, "N": _NUMBERS, "B": _BINARIES}
_TYPES = st.sampled_from("SNB")
_OPERATORS: Final[dict[str, tuple[str, Callable[..., bool]]]] = {
    "=": ("{0} = :a", lambda value, one, _two: value == one),
    "<": ("{0} < :a", lambda value, one, _two: value < one),
    "<=": ("{0} <= :a", lambda value, one, _two: value <= one),
    ">": ("{0} > :a", lambda value, one, _two: value > one),
    ">=": (":a <= {0}", lambda value, one, _two: value >= one),
    "between": ("{0} BETWEEN :a AND :b", lambda value, one, two: one <= value <= two),
    "begins_with": ("begins_with({0}, :a)", lambda value, one, _two: value[: len(one)] == one),
}


def value_of(wire: dict[str, str]) -> Any:
    ((kind, inner),) = wire.items()
    return inner if kind == "S" else Decimal(inner) if kind == "N" else b64decode(inner)


def values_of(kind: str) -> st.SearchStrategy[dict[str, str]]:
    return st.sampled_from(_VALUES[kind]).map(lambda inner: {kind: inner})


Draw = Callable[..., Any]


class Case:
    """A table with rows, and one query of it or of an index, as a request and as Python evaluates it."""

    def __init__(self, draw: Draw) -> None:
        kinds = {name: draw(_TYPES, label=name) for name in ("pk", "sk", "h1", "h2", "r1", "r2", "l")}
        typed = {name: f"{name}:{kind}" for name, kind in kinds.items()}
        self.shelf = Shelf(typed["pk"], typed["sk"])
        self.shelf.index("local", typed["pk"], typed["l"])
        self.shelf.index("plain", typed["h1"])
        self.shelf.index("single", typed["h1"], typed["r1"], keeps=[])
        self.shelf.index("several", f"{typed['h1']} {typed['h2']}", f"{typed['r1']} {typed['r2']}", keeps=[])
        item = st.fixed_dictionaries(
            {name: values_of(kinds[name]) for name in ("pk", "sk")},
            optional={name: values_of(kinds[name]) for name in ("h1", "h2", "r1", "r2", "l")},
        )
        written = draw(st.lists(item, min_size=5, max_size=30))
        # Most items share a partition, so that there is something to page through.
        for one in written[::2]:
            one |= {name: written[0][name] for name in ("pk", "h1", "h2") if name in written[0]}
        self.items = list({(value_of(one["pk"]), value_of(one["sk"])): one for one in written}.values())
        self.shelf.put(*self.items)
        self.index = draw(st.sampled_from([None, "local", "plain", "single", "several"]))
        self.rows = self.shelf.table.layout if self.index is None else self.shelf.table.indexes[self.index]
        self._ask(draw, kinds)

    def _ask(self, draw: Draw, kinds: dict[str, str]) -> None:
        partition, sort = ([part.name for part in parts] for parts in (self.rows.partition, self.rows.sort))
        named = sort[: draw(st.integers(0, len(sort)))]
        ends = dict.fromkeys([*partition, *named], "=")
        if named:
            kinds_of = ["between", "<", "<=", ">", ">=", "="] + ["begins_with"] * (kinds[named[-1]] != "N")
            ends[named[-1]] = draw(st.sampled_from(kinds_of))
        self.operator = ends[named[-1]] if named else None
        self.bounds: dict[str, list[dict[str, str]]] = {}
        source = draw(st.sampled_from(self.items))
        for name, operator in ends.items():
            drawn = [source.get(name) or draw(values_of(kinds[name])), draw(values_of(kinds[name]))]
            self.bounds[name] = sorted(drawn, key=value_of) if operator == "between" else drawn
        self._operators = ends
        self.request = self._request()

    def _request(self) -> dict[str, Any]:
        clauses, values = [], {}
        for name, operator in self._operators.items():
            clause = (
                _OPERATORS[operator][0].format(name).replace(":a", f":{name}a").replace(":b", f":{name}b")
            )
            clauses.append(clause)
            for end, bound in zip("ab", self.bounds[name], strict=True):
                if f":{name}{end}" in clause:
                    values[f":{name}{end}"] = bound
        request = {"KeyConditionExpression": " AND ".join(clauses), "ExpressionAttributeValues": values}
        return request if self.index is None else {**request, "IndexName": self.index}

    def matching(self) -> list[Item]:
        """The items that Python finds, sorted."""
        names = [part.name for part in self.rows.keys]
        found = [item for item in self.items if all(name in item for name in names) and self._matches(item)]
        return sorted(found, key=self.order)

    def _matches(self, item: Item) -> bool:
        return all(
            _OPERATORS[operator][1](value_of(item[name]), *map(value_of, self.bounds[name]))
            for name, operator in self._operators.items()
        )

    def order(self, item: Item) -> list[Any]:
        """What these rows are sorted by."""
        return [value_of(item[part.name]) for part in self.rows.sort]

    def at_the_end(self, last: Item, *, forward: bool) -> bool:
        """Whether the end of the key condition was reached."""
        if self.index is not None or self.operator != ("<=" if forward else ">="):
            return False
        return bool(last["sk"] == self.bounds["sk"][0])


@settings(max_examples=max(50, settings().max_examples), deadline=None)
@given(data=st.data())
def test_the_pages_of_a_query_equal_a_search_in_python(data: st.DataObject) -> None:
    case = Case(data.draw)
    forward = data.draw(st.booleans(), label="forward")
    found: list[Item] = []
    start: dict[str, Any] = {}
    while True:
        limit = data.draw(st.none() | st.integers(1, 4), label="limit")
        limits = {} if limit is None else {"Limit": limit}
        answer = case.shelf.run(query, **case.request, **start, **limits, ScanIndexForward=forward)
        assert answer["Count"] == answer["ScannedCount"] == len(answer["Items"]) <= (limit or 30)
        found += answer["Items"]
        last = answer.get("LastEvaluatedKey")
        assert (last is not None) == (len(answer["Items"]) == limit)
        if last is None or case.at_the_end(last, forward=forward):
            break
        start = {"ExclusiveStartKey": last}

    expected = case.matching()
    assert [case.order(item) for item in found] == [
        case.order(item) for item in (expected if forward else reversed(expected))
    ]
    entries = [case.rows.entry(item) for item in expected]
    # Rows that are equal in all of an index's key follow each other in any order.
    assert sorted(found, key=repr) == sorted(entries, key=repr)
    if case.index is None:
        assert found == (entries if forward else entries[::-1])
