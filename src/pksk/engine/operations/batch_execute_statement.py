"""BatchExecuteStatement: up to 25 independent PartiQL statements, all reads or all writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import orjson

from pksk.capacity.units import write_units
from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.heat.meter import failed_size
from pksk.engine.items import consumed_capacity, keys, perform
from pksk.engine.partiql.literals import ParameterValues
from pksk.engine.partiql.parse import ParsedStatement, check_parameters, parse
from pksk.engine.partiql.select import selected_item
from pksk.engine.partiql.select_plan import SelectPlan, has_several_keys
from pksk.engine.partiql.tree import ExistsStatement, SelectStatement
from pksk.engine.partiql.write import WriteAction, perform_write, write_action
from pksk.engine.service_errors import validation
from pksk.engine.state import ItemId, Table, Write
from pksk.engine.storage import Reader

_CODES: Final = {
    "AccessDeniedException": "AccessDenied",
    "ConditionalCheckFailedException": "ConditionalCheckFailed",
    "DuplicateItemException": "DuplicateItem",
    "ItemCollectionSizeLimitExceededException": "ItemCollectionSizeLimitExceeded",
    "ResourceNotFoundException": "ResourceNotFound",
    "TransactionConflictException": "TransactionConflict",
    "ValidationException": "ValidationError",
}


class BatchStatement:
    """A statement of a batch. If a step fails, the later ones do nothing and the error is its response."""

    __slots__ = ("_request", "_table", "_values", "_write_action", "item", "parsed", "response", "succeeded")

    def __init__(self, request: Request) -> None:
        self._request = request
        self.parsed: ParsedStatement | None = None
        self._values: ParameterValues = {}
        self.response: Answer = {}
        self.succeeded = False
        # The key of its item, once its table is known.
        self.item: ItemId | None = None
        self._write_action: tuple[WriteAction, Write] | None = None
        self._try(self._parse)

    def _parse(self) -> None:
        parameters = check_parameters(self._request.get("Parameters", ()))
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
            self.response["Error"] = self._error_response(error)

    def _error_response(self, error: ServiceError) -> Answer:
        response: Answer = {"Code": _CODES[error.code], "Message": error.message}
        wants_item = self._request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        if wants_item and isinstance(error, perform.ConditionalCheckFailed) and error.row is not None:
            response["Item"] = orjson.loads(error.row.data)
        return response

    def find(self, core: Core) -> None:
        """Look up the table and plan the statement."""
        self._try(lambda: self._find(core))

    def _find(self, core: Core) -> None:
        assert self.parsed is not None
        statement = self.parsed.statement
        if isinstance(statement, ExistsStatement):
            raise validation(texts.EXISTS_ALONE)
        self._table: Table = core.catalogue.table(statement.table)
        if isinstance(statement, SelectStatement):
            key = self._key(statement)
        else:
            action = write_action(self.parsed, self._table, self._values)
            self._write_action = (action, action.write_to(self._table))
            key = self._write_action[1].key
        self.item = (self._table.layout.space, key)

    def _key(self, select: SelectStatement) -> bytes:
        assert self.parsed is not None
        if select.index is not None:
            index = self._table.indexes.get(select.index)
            raise validation(
                texts.SELECT_NEEDS_KEY if index is None or not has_several_keys(index) else texts.SEVERAL_KEYS
            )
        plan = self.parsed.plan(self._table.layout, SelectPlan)
        if not plan.is_unfiltered_get:
            raise validation(texts.SELECT_NEEDS_KEY)
        return keys.lookup_key(self._table, plan.key(self._values))

    def read(self, core: Core, reader: Reader, capacity: consumed_capacity.CapacityByTable) -> None:
        """Read the item of a SELECT."""
        if self.item is None or self._write_action is not None or self.parsed is None:
            return
        row = reader.get(*self.item)
        consistent = self._request.get("ConsistentRead", False)
        units = core.meter.record_item_read(self._table, self.item[1], row, consistent=consistent)
        if row is not None:
            self.response["Item"] = selected_item(
                self.parsed.plan(self._table.layout, SelectPlan).projector, row
            )
        capacity.add(self.response["TableName"], self._table, units)
        self.succeeded = True

    def write(self, core: Core, capacity: consumed_capacity.CapacityByTable) -> None:
        """Carry out a write. A failed write consumes its units."""
        if self._write_action is None:
            return
        self._try(lambda: self._write(core, capacity))

    def _write(self, core: Core, capacity: consumed_capacity.CapacityByTable) -> None:
        assert self.parsed is not None
        assert self._write_action is not None
        write = self._write_action[1]
        name = self.response["TableName"]
        try:
            item, outcome, _ = perform_write(core, {}, self.parsed, self._write_action)
        except perform.ConditionalCheckFailed as failed:
            capacity.add(name, self._table, write_units(failed_size(write, failed.row)))
            raise
        if item is not None:
            self.response["Item"] = item
        capacity.add(name, self._table, outcome.table_units, outcome.index_units, outcome.vector_bytes)
        self.succeeded = True


def batch_execute_statement(core: Core, request: Request) -> Answer:
    """Answer a BatchExecuteStatement request."""
    members = [BatchStatement(statement) for statement in request["Statements"]]
    if len({member.parsed.is_read for member in members if member.parsed is not None}) > 1:
        raise validation("Read and write requests together in the same batch is not supported.")
    for member in members:
        member.find(core)
    items = [member.item for member in members if member.item is not None]
    if len(set(items)) < len(items):
        raise validation("Provided list of item keys contains duplicates")
    capacity = consumed_capacity.CapacityByTable()
    with core.storage.reading() as reader:
        for member in members:
            member.read(core, reader, capacity)
    for member in members:
        member.write(core, capacity)
    answer: Answer = {"Responses": [member.response for member in members]}
    if any(member.succeeded for member in members):
        answer.update(capacity.response_members(request))
    return answer
