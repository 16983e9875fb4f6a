"""Reads a trace of an engine: the calls, units and busiest keys of each table and index, in bounded memory."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from math import isfinite
from pathlib import Path
from typing import IO, Any, Final, Literal, TypeAlias

import orjson

from pksk.dataclass import dataclass
from pksk.errors import FileError, did_you_mean, quote, quote_path
from pksk.keys import Template
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.partitions import Share, TopKeys
from pksk.partitions.spread import observed_share
from pksk.schema import Table

# The version of traces that engines write; see docs/stored-formats.md.
_VERSION: Final = 1
# No call of DynamoDB consumes as much: a transaction of 100 items of 400 KB takes 80,000 write units.
_MOST_UNITS: Final = 1_000_000
# A line of a key and some numbers is far shorter.
_LONGEST_LINE: Final = 100_000
_LISTED_PROBLEMS: Final = 5
# The busiest key is noted for so many calls in a row.
WINDOW_CALLS: Final = 1000
_COUNTED_TOGETHER: Final = 10 * WINDOW_CALLS
TrafficSide: TypeAlias = Literal["read", "write"]


@dataclass
class Pages:
    """Pages of queries or scans: their number and units, and how many items they read and returned."""

    calls: int = 0
    units: float = 0.0
    read: int = 0
    returned: int = 0

    def add(self, units: float, line: Mapping[str, Any]) -> None:
        """Add a page."""
        self.calls += 1
        self.units += units
        self.read += line.get("read", 0)
        self.returned += line.get("returned", 0)


@dataclass
class SideTraffic:
    """The reads or the writes of a table or an index: calls, units, and the calls of the busiest partition keys."""

    calls: int = 0
    units: float = 0.0
    keys: TopKeys[bytes] = field(default_factory=TopKeys[bytes])
    # The last keys, which are counted together.
    pending: list[bytes] = field(default_factory=list)
    # Of each group of keys in a row, the share of the busiest one.
    windows: array[float] = field(default_factory=lambda: array("f"))

    def add(self, units: float, key: object) -> None:
        """Add a call; one of a scan names no key."""
        self.calls += 1
        self.units += units
        if key is not None:
            self.pending.append(orjson.dumps(key))
            if len(self.pending) >= _COUNTED_TOGETHER:
                self.count_pending()

    def count_pending(self) -> None:
        """Count the last keys."""
        for first in range(0, len(self.pending) - WINDOW_CALLS + 1, WINDOW_CALLS):
            window = Counter(self.pending[first : first + WINDOW_CALLS])
            self.windows.append(max(window.values()) / WINDOW_CALLS)
        self.keys.add(self.pending)
        self.pending = []

    @property
    def busiest(self) -> tuple[Any, Share] | None:
        """The key of most calls, as attribute values, with bounds of its share of all calls that name one."""
        self.count_pending()
        for key, calls in self.keys.largest(1):
            return orjson.loads(key), observed_share(int(calls), round(self.keys.total))
        return None


@dataclass
class IndexTraffic:
    """What a trace has of one table or index."""

    table: str
    index: str | None
    reads: SideTraffic = field(default_factory=SideTraffic)
    writes: SideTraffic = field(default_factory=SideTraffic)
    scans: Pages = field(default_factory=Pages)
    queries: Pages = field(default_factory=Pages)

    @property
    def name(self) -> str:
        """The table, or the table and its index."""
        return f"{self.table}/{self.index}" if self.index else self.table

    def side(self, side: TrafficSide) -> SideTraffic:
        """Its reads or its writes."""
        return self.reads if side == "read" else self.writes

    def data(self) -> dict[str, Any]:
        """The figures as JSON can hold them; no key values."""
        return {
            "table": self.table,
            "index": self.index,
            **{name: _side_data(self.side(name)) for name in _SIDES},
            "scans": vars(self.scans),
            "queries": vars(self.queries),
        }


_SIDES: Final[tuple[TrafficSide, ...]] = ("read", "write")


def _side_data(side: SideTraffic) -> dict[str, Any]:
    share = side.busiest[1] if side.busiest else None
    busiest = None if share is None else {"lowest": share.lowest, "highest": share.highest}
    return {"calls": side.calls, "units": side.units, "busiest_key": busiest}


@dataclass
class Traffic:
    """What a trace has of the tables of a design, and which parts of it could not be read."""

    file: str
    parts: dict[tuple[str, str | None], IndexTraffic] = field(default_factory=dict)
    calls: int = 0
    first: float = 0.0
    last: float = 0.0
    problems: list[str] = field(default_factory=list)
    unread_lines: int = 0

    def of(self, table: Table, index: str | None) -> IndexTraffic:
        """What it has of a table or an index."""
        return self.parts.get((table.name, index), IndexTraffic(table.name, index))

    def note(self, problem: str) -> None:
        """Note a line that cannot be read; the first ones are listed."""
        self.unread_lines += 1
        if len(self.problems) < _LISTED_PROBLEMS:
            self.problems.append(problem)

    @property
    def partial(self) -> tuple[str, ...]:
        """What is missing from these figures."""
        more = self.unread_lines - len(self.problems)
        return (*self.problems, *([f"{self.file}: {more:,} more lines cannot be read"] if more > 0 else []))

    @property
    def seconds(self) -> float:
        """The time from the first to the last call."""
        return self.last - self.first

    def data(self) -> dict[str, Any]:
        """The figures as JSON can hold them."""
        return {
            "file": self.file,
            "calls": self.calls,
            "seconds": self.seconds,
            "partial": list(self.partial),
            "tables": [each.data() for each in self.parts.values()],
        }


def read_traffic(path: str | Path, tables: Iterable[Table]) -> Traffic:
    """Read the trace of some tables; lines that cannot be read are noted, and the rest is counted.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from pksk import Engine
        >>> orders, engine = Table("orders", sk=None), Engine.open()
        >>> created = engine.call("CreateTable", orders.create_request())
        >>> with TemporaryDirectory() as folder:
        ...     with engine.trace(f"{folder}/calls.jsonl"):
        ...         put = engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "7"}}})
        ...     traffic = read_traffic(f"{folder}/calls.jsonl", [orders])
        >>> traffic.of(orders, None).writes.calls
        1
    """
    known = {table.name: {None, *(index.name for index in table.indexes)} for table in tables}
    traffic = Traffic(Path(path).name)
    foreign: dict[str, int] = {}
    try:
        with open(path, "rb") as file:
            for number, line in _lines(file, str(path)):
                _read_line(traffic, known, foreign, number, line)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise _rejected(
            str(path), f"it cannot be read: {reason}", "name a trace that exists and is readable."
        ) from error
    if foreign and not traffic.parts:
        _reject_foreign(str(path), known, foreign)
    for name, count in foreign.items():
        calls = f"{count:,} call{'' if count == 1 else 's'}"
        traffic.problems.append(f"{traffic.file}: {calls} of {name}, which the design does not have")
    return traffic


def _lines(file: IO[bytes], path: str) -> Iterator[tuple[int, bytes]]:
    """The lines of calls, with their numbers; the first line has to state the version."""
    number, begins = 0, True
    while line := file.readline(_LONGEST_LINE):
        number += begins
        if begins and number == 1:
            _check_version(path, line)
        elif begins:
            yield number, line
        begins = line.endswith(b"\n")
    if number == 0:
        raise _rejected(path, "it is empty")


def _check_version(path: str, line: bytes) -> None:
    try:
        first: Any = orjson.loads(line)
        version = first["version"] if first["op"] == "Trace" else None
    except (ValueError, KeyError, TypeError):
        version = None
    if version is None:
        raise _rejected(path, "line 1 is not the first line of a trace")
    if version != _VERSION or isinstance(version, bool):
        raise _rejected(path, f"line 1 has version {quote(version)}, and this pksk reads version {_VERSION}")


def _read_line(
    traffic: Traffic,
    known: Mapping[str, set[str | None]],
    foreign: dict[str, int],
    number: int,
    text: bytes,
) -> None:
    where = f"{traffic.file}, line {number:,}"
    try:
        line: Any = orjson.loads(text)
    except ValueError:
        reason = "is cut off" if not text.endswith(b"\n") else "is not JSON"
        traffic.note(f"{where}: it {reason}")
        return
    problem = _problem_of(line)
    if problem:
        traffic.note(f"{where}: {problem}")
        return
    table, index = line["table"], line.get("index")
    if index in known.get(table, ()):
        _count(traffic, line, table, index)
    else:
        name = quote(f"{table}/{index}" if table in known else table)
        foreign[name] = foreign.get(name, 0) + 1


def _problem_of(line: Any) -> str:
    """What is wrong with a line; empty if nothing is."""
    if not isinstance(line, dict) or not isinstance(line.get("op"), str):
        return "it has no operation (op)"
    if not isinstance(line.get("table"), str) or not isinstance(line.get("index"), str | None):
        return "it names no table"
    if not _is_number(line.get("ts"), 1e12):
        return f"ts is {quote(line.get('ts'))}, which is not a time in seconds"
    for name in ("rcu", "wcu", "read", "returned"):
        if not _is_number(line.get(name, 0), _MOST_UNITS):
            return f"{name} is {quote(line[name])}, which is not a number from 0 to {_MOST_UNITS:,}"
    if line.get("returned", 0) > line.get("read", 0):
        return f"it returned {line['returned']} of {line.get('read', 0)} items read"
    return "" if _is_key(line.get("pk")) else f"pk is {quote(line['pk'])}, which is not an attribute value"


def _is_number(value: object, most: float) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and isfinite(value) and 0 <= value <= most  # type: ignore[arg-type, operator]


def _is_key(value: object) -> bool:
    """Whether a value is None, an attribute value, or a list of them."""
    values = value if isinstance(value, list) else [value]
    return value is None or all(isinstance(each, dict) and len(each) == 1 for each in values)


def _count(traffic: Traffic, line: Mapping[str, Any], table: str, index: str | None) -> None:
    part = traffic.parts.get((table, index))
    if part is None:
        part = traffic.parts[table, index] = IndexTraffic(table, index)
    at = float(line["ts"])
    traffic.first = min(traffic.first, at) if traffic.calls else at
    traffic.last = max(traffic.last, at)
    traffic.calls += 1
    for name, side in (("rcu", part.reads), ("wcu", part.writes)):
        if name in line:
            side.add(float(line[name]), line.get("pk"))
    if line["op"] == "Scan" or "read" in line:
        pages = part.scans if line["op"] == "Scan" or "pk" not in line else part.queries
        pages.add(float(line.get("rcu", 0)), line)


def _reject_foreign(path: str, known: Mapping[str, object], foreign: Mapping[str, int]) -> None:
    names = list(foreign)
    near = did_you_mean(names[0].strip("'"), known)
    raise _rejected(
        path,
        f"it has calls of {', '.join(names[:3])}{' and others' if len(names) > 3 else ''}, and the design has "
        f"{', '.join(map(quote, known)) or 'no table'}",
        f"check the target, or rename the table: is it {quote(near)}?" if near else "check the target.",
    )


def _rejected(path: str, problem: str, fix: str = "") -> FileError:
    return FileError(
        "check-traffic",
        f"trace {quote_path(path)}: {problem}.",
        expected="A trace is a file of engine.trace(...), pksk serve --trace or pytest --pksk-trace.",
        fix=fix or "record the calls again with this version of pksk.",
    )


def entity_key_of(table: Table, index: str | None, partition: object) -> tuple[Declaration, EntityKey] | None:
    """The entity and the key that render a traced partition key; None if no entity or several do."""
    values = partition if isinstance(partition, list) else [partition]
    matches = {
        id(key.source): (declaration, key)
        for declaration in table.entities
        for key in declaration.keys.values()
        if key.index == index and _renders(key, values)
    }
    return next(iter(matches.values())) if len(matches) == 1 else None


def _renders(key: EntityKey, values: Sequence[Any]) -> bool:
    if len(values) != len(key.partition):
        return False
    return all(
        not isinstance(part.writer, Template)
        or ("S" in value and part.writer.match(str(value["S"])) is not None)
        for part, value in zip(key.partition, values, strict=True)
    )
