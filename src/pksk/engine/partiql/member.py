"""One statement of a batch: carried out for itself, and answered for itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from pksk.capacity.units import read_units, write_units
from pksk.engine.conflicts import ItemId
from pksk.engine.consumed import Spending
from pksk.engine.core import Core
from pksk.engine.faults import ServiceError, validation
from pksk.engine.heat.meter import failed_size
from pksk.engine.keys import lookup_key
from pksk.engine.storage import Reader
from pksk.engine.tables.table import Table
from pksk.engine.texts import partiql as texts
from pksk.engine.writes.perform import UnmetCondition
from pksk.engine.writes.write import Outcome, Write

from .filled import Values
from .parsed import Parsed, check_parameters, parse
from .select import shown_of
from .select_plan import SelectPlan
from .tree import Exists, Select
from .write import Does, does
from .written import carried_out

__all__ = ["Member"]

_CODES: Final = {
    "AccessDeniedException": "AccessDenied",
    "ConditionalCheckFailedException": "ConditionalCheckFailed",
    "DuplicateItemException": "DuplicateItem",
    "ItemCollectionSizeLimitExceededException": "ItemCollectionSizeLimitExceeded",
    "ResourceNotFoundException": "ResourceNotFound",
    "TransactionConflictException": "TransactionConflict",
    "ValidationException": "ValidationError",
}


class Member:
    """A statement of a batch: where any step fails, the others do nothing, and the error is its response."""

    __slots__ = ("_doing", "_request", "_table", "_values", "item", "parsed", "response", "succeeded")

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._request = request
        self.parsed: Parsed | None = None
        self._values: Values = {}
        self.response: dict[str, Any] = {}
        self.succeeded = False
        # Where its item is, once its table is known.
        self.item: ItemId | None = None
        self._doing: tuple[Does, Write] | None = None
        # A parameter that is no value refuses all of the batch.
        parameters = check_parameters(request.get("Parameters", ()))
        self._try(lambda: self._parse(parameters))

    def _parse(self, parameters: Values) -> None:
        parsed = parse(self._request["Statement"])
        self._values = parsed.values(parameters)
        self.parsed = parsed
        self.response["TableName"] = parsed.statement.table

    def _try(self, step: Callable[[], None]) -> None:
        if "Error" in self.response:
            return
        try:
            step()
        except ServiceError as error:
            if error.code not in _CODES:
                raise
            self.response["Error"] = self._shown(error)

    def _shown(self, error: ServiceError) -> dict[str, Any]:
        shown: dict[str, Any] = {"Code": _CODES[error.code], "Message": error.message}
        wanted = self._request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        if wanted and isinstance(error, UnmetCondition) and error.row is not None:
            shown["Item"] = orjson.loads(error.row.data)
        return shown

    def find(self, core: Core) -> None:
        """Look its table up, and hold it against that."""
        self._try(lambda: self._find(core))

    def _find(self, core: Core) -> None:
        assert self.parsed is not None
        statement = self.parsed.statement
        if isinstance(statement, Exists):
            raise validation(texts.EXISTS_ALONE)
        self._table: Table = core.catalogue.table(statement.table)
        if isinstance(statement, Select):
            key = self._key(statement)
        else:
            doing = does(self.parsed, self._table, self._values)
            self._doing = (doing, doing.on(self._table))
            key = self._doing[1].key
        self.item = (self._table.rows.space, key)

    def _key(self, select: Select) -> bytes:
        assert self.parsed is not None
        plan = None if select.index is not None else self.parsed.plan(self._table.rows, SelectPlan)
        if plan is None or not plan.exact:
            raise validation(texts.SELECT_NEEDS_KEY)
        return lookup_key(self._table, plan.key(self._values))

    def read(self, core: Core, reader: Reader, spending: Spending) -> None:
        """Read its item, where it is a SELECT."""
        if self.item is None or self._doing is not None or self.parsed is None:
            return
        row = reader.get(*self.item)
        consistent = self._request.get("ConsistentRead", False)
        core.meter.got(self._table, self.item[1], row, consistent=consistent)
        if row is not None:
            self.response["Item"] = shown_of(self.parsed.plan(self._table.rows, SelectPlan).shown, row)
        units = read_units(0 if row is None else row.size, consistent=consistent)
        spending.add(self.response["TableName"], self._table, units)
        self.succeeded = True

    def write(self, core: Core, spending: Spending) -> None:
        """Carry out its write, where it is one; one that fails is charged for what it tried."""
        if self._doing is None:
            return
        self._try(lambda: self._write(core, spending))

    def _write(self, core: Core, spending: Spending) -> None:
        assert self.parsed is not None
        assert self._doing is not None
        write = self._doing[1]
        name = self.response["TableName"]
        try:
            item, outcome, _ = carried_out(core, {}, self.parsed, self._doing)
        except UnmetCondition as failed:
            spending.add(name, self._table, write_units(failed_size(write, failed.row)))
            raise
        if item is not None:
            self.response["Item"] = item
        self._spend(spending, name, outcome)

    def _spend(self, spending: Spending, name: str, outcome: Outcome) -> None:
        spending.add(name, self._table, outcome.table_units, outcome.index_units, outcome.vector_bytes)
        self.succeeded = True
