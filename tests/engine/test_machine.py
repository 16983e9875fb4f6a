"""The engine against a dict: random tables, writes, batches, transactions and reads, on both storages."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pksk.capacity import Cost, query_cost
from pksk.capacity.writes import check_cost, write_cost
from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.schema import GSI, LSI, N, Table
from pksk.values.numbers import canonical_number

from .model import Item, TableModel, as_set, sort_key, sort_value

TABLES = [
    Table("plain-", sk=None),
    Table(
        "orders",
        sk=N("sk"),
        indexes=[
            LSI("by-total", sk=N("total"), projection="keys"),
            GSI("by-status", pk="status", sk=N("total"), projection=["note"]),
            GSI("several", pk=("status", "pk"), sk=(N("total"), "note")),
        ],
    ),
    Table("texts", indexes=[GSI("by-note", pk="note", sk="sk"), LSI("notes", sk="note")]),
]
texts = st.sampled_from(["a", "ab", "b", "\x00", "é", "a\x00b", "long" * 200])
numbers = st.sampled_from(["0", "1", "-1", "2.5", "10", "9", "-0.001", "1e20"]).map(canonical_number)


def value(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(lambda inner: {kind: inner}, numbers if kind == "N" else texts)


OTHERS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "status": st.builds(lambda text: {"S": text}, st.sampled_from(["open", "paid"])),
    "note": value("S"),
    "total": value("N"),
    "tags": st.builds(lambda members: {"SS": sorted(members)}, st.sets(st.sampled_from("abc"), min_size=1)),
    "inner": st.builds(lambda inner: {"M": {"deep": {"L": [inner]}}}, value("N")),
}
others = st.fixed_dictionaries({}, optional=OTHERS)


class EngineMachine(RuleBasedStateMachine):
    """Every step is done by the engine and by the model; then all they hold and cost is compared."""

    path = ":memory:"

    @initialize(table=st.sampled_from(TABLES))
    def begin(self, table: Table) -> None:
        self.engine = self.opened()
        self.table, self.model = table, TableModel(table)
        self.call("CreateTable", table.create_request())

    def opened(self) -> Engine:
        return Engine.open(self.path, durable=False)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return self.engine.call(operation, request)

    def made_key(self, data: st.DataObject) -> Item:
        known = sorted(self.model.items.values(), key=repr)
        names = [attribute.name for attribute in self.table.index(None).typed_attributes]
        again: bool = data.draw(st.booleans())
        if known and again:
            item: Item = data.draw(st.sampled_from(known))
            return {name: item[name] for name in names}
        return {a.name: data.draw(value(a.type)) for a in self.table.index(None).typed_attributes}

    def check_cost(self, answer: dict[str, Any], cost: Cost) -> None:
        shown = answer["ConsumedCapacity"]
        assert shown["CapacityUnits"] == cost.read + cost.write
        table, arm = self.table.name, cost.charge_of(self.table.name)
        assert shown["Table"]["CapacityUnits"] == arm.read + arm.write
        indexes = {**shown.get("GlobalSecondaryIndexes", {}), **shown.get("LocalSecondaryIndexes", {})}
        for index in self.table.indexes:
            arm = cost.charge_of(table, index.name)
            assert indexes.get(index.name, {}).get("CapacityUnits", 0.0) == arm.read + arm.write

    @rule(data=st.data(), more=others, fresh=st.booleans())
    def put(self, data: st.DataObject, more: Item, fresh: bool) -> None:
        item = {**more, **self.made_key(data)}
        old = self.model.get(item)
        request = {"TableName": self.table.name, "Item": item, "ReturnConsumedCapacity": "INDEXES",
                   "ReturnValues": "ALL_OLD"}  # fmt: skip
        if fresh:
            request["ConditionExpression"] = "attribute_not_exists(pk)"
        if fresh and old is not None:
            self.error_of("PutItem", request, "ConditionalCheckFailedException")
            return
        answer = self.call("PutItem", request)
        assert answer.get("Attributes") == old
        self.check_cost(answer, write_cost(self.table, old, item))
        self.model.put(item)

    def error_of(self, operation: str, request: dict[str, Any], code: str) -> ServiceError:
        with pytest.raises(ServiceError) as error:
            self.call(operation, request)
        assert error.value.code == code
        return error.value

    @rule(data=st.data(), changes=others, gone=st.sets(st.sampled_from(sorted(OTHERS)), max_size=2))
    def update(self, data: st.DataObject, changes: Item, gone: set[str]) -> None:
        key = self.made_key(data)
        names = {name for name in changes if name not in gone and name not in key}
        gone = {name for name in gone if name not in key}
        old = self.model.get(key)
        new = self.updated(old, key, {name: changes[name] for name in names}, gone)
        request: dict[str, Any] = {"TableName": self.table.name, "Key": key, "ReturnConsumedCapacity": "INDEXES",
                                   "ReturnValues": "ALL_NEW"}  # fmt: skip
        request.update(update_expression({name: changes[name] for name in names}, gone))
        answer = self.call("UpdateItem", request)
        assert answer.get("Attributes") == new
        self.check_cost(answer, write_cost(self.table, old, new))
        if new is not None:
            self.model.put(new)

    def updated(self, old: Item | None, key: Item, changes: Item, gone: set[str]) -> Item | None:
        if old is None and not changes and gone:
            return None
        new = {**(old or key), **changes}
        return {name: value for name, value in new.items() if name not in gone}

    @rule(data=st.data())
    def add(self, data: st.DataObject) -> None:
        key = self.made_key(data)
        if "total" in key:
            return
        old = self.model.get(key)
        before = sort_value((old or {}).get("total", {"N": "0"}))
        if abs(before) > 10**15:
            return
        new = {**(old or key), "total": {"N": canonical_number(str(before + 1))}}
        answer = self.call(
            "UpdateItem",
            {"TableName": self.table.name, "Key": key, "UpdateExpression": "ADD #t :one",
             "ExpressionAttributeNames": {"#t": "total"}, "ExpressionAttributeValues": {":one": {"N": "1"}},
             "ReturnValues": "UPDATED_NEW"},
        )  # fmt: skip
        assert answer["Attributes"] == {"total": new["total"]}
        self.model.put(new)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        key = self.made_key(data)
        old = self.model.get(key)
        answer = self.call(
            "DeleteItem",
            {
                "TableName": self.table.name,
                "Key": key,
                "ReturnValues": "ALL_OLD",
                "ReturnConsumedCapacity": "INDEXES",
            },
        )
        assert answer.get("Attributes") == old
        self.check_cost(answer, write_cost(self.table, old, None))
        self.model.delete(key)

    @rule(data=st.data(), count=st.integers(1, 6))
    def batch_write(self, data: st.DataObject, count: int) -> None:
        requests: dict[Any, dict[str, Any]] = {}
        for _ in range(count):
            key = self.made_key(data)
            put = data.draw(st.booleans())
            item = {**data.draw(others), **key}
            requests[self.model.key(key)] = (
                {"PutRequest": {"Item": item}} if put else {"DeleteRequest": {"Key": key}}
            )
        answer = self.call("BatchWriteItem", {"RequestItems": {self.table.name: list(requests.values())}})
        assert answer["UnprocessedItems"] == {}
        for request in requests.values():
            if "PutRequest" in request:
                self.model.put(request["PutRequest"]["Item"])
            else:
                self.model.delete(request["DeleteRequest"]["Key"])

    @rule(data=st.data(), count=st.integers(1, 5))
    def transact_write(self, data: st.DataObject, count: int) -> None:
        members: dict[Any, tuple[dict[str, Any], Item | None, bool]] = {}
        cost = Cost()
        for _ in range(count):
            key = self.made_key(data)
            if self.model.key(key) in members:
                continue
            member, new, fails, charge = self.action(data, key)
            members[self.model.key(key)] = (member, new, fails)
            cost += charge
        request = {
            "TransactItems": [member for member, _, _ in members.values()],
            "ReturnConsumedCapacity": "INDEXES",
        }
        if any(fails for _, _, fails in members.values()):
            error = self.error_of("TransactWriteItems", request, "TransactionCanceledException")
            codes = [reason["Code"] for reason in error.fields["CancellationReasons"]]
            assert codes == ["ConditionalCheckFailed" if f else "None" for _, _, f in members.values()]
            return
        answer = self.call("TransactWriteItems", request)
        (shown,) = answer["ConsumedCapacity"]
        self.check_cost({"ConsumedCapacity": shown}, cost)
        for position, (member, new, _) in members.items():
            if "ConditionCheck" in member:
                continue
            if new is None:
                self.model.items.pop(position, None)
            else:
                self.model.items[position] = new

    def action(self, data: st.DataObject, key: Item) -> tuple[dict[str, Any], Item | None, bool, Cost]:
        """One member of a transaction, its result, whether its condition fails, and its cost."""
        kind = data.draw(st.sampled_from(["Put", "Update", "Delete", "ConditionCheck"]))
        old = self.model.get(key)
        wants = data.draw(st.sampled_from(["", "attribute_exists(pk)", "attribute_not_exists(pk)"]))
        member: dict[str, Any] = {"TableName": self.table.name}
        new: Item | None = None
        if kind == "Put":
            new = {**data.draw(others), **key}
            member["Item"] = new
        else:
            member["Key"] = key
        if kind == "Update":
            changes = {name: value for name, value in data.draw(others).items() if name not in key}
            changes = changes or {"extra": {"S": "x"}}
            new = self.updated(old, key, changes, set())
            member.update(update_expression(changes, set()))
        if kind == "ConditionCheck":
            wants, new = wants or "attribute_exists(pk)", old
        if wants:
            member["ConditionExpression"] = wants
        fails = bool(wants) and (old is None) == (wants == "attribute_exists(pk)")
        if kind == "ConditionCheck":
            charge = check_cost(self.table, old)
        else:
            charge = write_cost(self.table, old, new, transactional=True)
        return {kind: member}, new, fails, charge

    @precondition(lambda self: self.model.items)
    @rule(data=st.data())
    def get(self, data: st.DataObject) -> None:
        key = self.made_key(data)
        found = self.model.get(key)
        answer = self.call("GetItem", {"TableName": self.table.name, "Key": key})
        assert answer.get("Item") == found
        together = self.call(
            "TransactGetItems", {"TransactItems": [{"Get": {"TableName": self.table.name, "Key": key}}]}
        )
        assert together["Responses"] == [{} if found is None else {"Item": found}]
        batch = self.call("BatchGetItem", {"RequestItems": {self.table.name: {"Keys": [key]}}})
        assert batch["Responses"][self.table.name] == ([] if found is None else [found])

    @precondition(lambda self: self.model.items)
    @rule(data=st.data(), forward=st.booleans(), limit=st.sampled_from([None, 1, 2, 5]))
    def query(self, data: st.DataObject, forward: bool, limit: int | None) -> None:
        index_name = data.draw(st.sampled_from([None, *(index.name for index in self.table.indexes)]))
        entries = self.model.entries(index_name)
        if not entries:
            return
        index = self.table.index(index_name)
        chosen = data.draw(st.sampled_from(entries))
        values = {attribute.name: chosen[attribute.name] for attribute in index.partition_key}
        condition, bound, holds = self.sort_condition(data, index_name, chosen)
        names = {f"#{position}": name for position, name in enumerate(values)}
        text = " AND ".join(f"#{position} = :{position}" for position in range(len(values)))
        request: dict[str, Any] = {
            "TableName": self.table.name,
            "KeyConditionExpression": text + condition,
            "ExpressionAttributeNames": names | ({"#s": index.sort_key[0].name} if condition else {}),
            "ExpressionAttributeValues": {
                f":{position}": value for position, value in enumerate(values.values())
            }
            | bound,
            "ScanIndexForward": forward,
            "ReturnConsumedCapacity": "INDEXES",
        }
        if index_name:
            request["IndexName"] = index_name
        if limit:
            request["Limit"] = limit
        expected = self.model.partition(index_name, values, holds)
        pages = list(self.pages("Query", request))
        got = [item for page in pages for item in page["Items"]]
        assert as_set(got) == as_set(expected)
        assert len(got) == len(expected)
        keys = [sort_key(index, item) for item in got]
        assert keys == sorted(keys, reverse=not forward)
        if limit is None:
            whole = [self.model.get(item) or item for item in got]
            self.check_cost(pages[0], query_cost(self.table, index_name, whole))

    def sort_condition(self, data: st.DataObject, index_name: str | None, chosen: Item) -> Any:
        index = self.table.index(index_name)
        if not index.sort_key or data.draw(st.booleans()):
            return "", {}, lambda _: True
        attribute = index.sort_key[0]
        operator = data.draw(st.sampled_from(["=", "<", "<=", ">", ">="]))
        bound = data.draw(st.one_of(st.just(chosen[attribute.name]), value(attribute.type)))

        def holds(entry: Item) -> bool:
            one, two = sort_value(entry[attribute.name]), sort_value(bound)
            return bool(
                {"=": one == two, "<": one < two, "<=": one <= two, ">": one > two, ">=": one >= two}[
                    operator
                ]
            )

        return f" AND #s {operator} :s", {":s": bound}, holds

    def pages(self, operation: str, request: dict[str, Any]) -> Any:
        while True:
            answer = self.call(operation, request)
            assert answer["Count"] == answer["ScannedCount"] == len(answer["Items"])
            yield answer
            if "LastEvaluatedKey" not in answer:
                return
            request = request | {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    @rule(segments=st.integers(1, 4), limit=st.sampled_from([1, 3, 100]))
    def scan_in_segments(self, segments: int, limit: int) -> None:
        got: list[Item] = []
        for segment in range(segments):
            request = {
                "TableName": self.table.name,
                "Segment": segment,
                "TotalSegments": segments,
                "Limit": limit,
            }
            got += [item for page in self.pages("Scan", request) for item in page["Items"]]
        assert as_set(got) == as_set(self.model.items.values())
        assert len(got) == len(self.model.items)

    @invariant()
    def everything_is_the_same(self) -> None:
        if not hasattr(self, "engine"):
            return
        for index_name in (None, *(index.name for index in self.table.indexes)):
            request = {"TableName": self.table.name} | ({"IndexName": index_name} if index_name else {})
            got = self.call("Scan", request)["Items"]
            expected = self.model.entries(index_name)
            assert as_set(got) == as_set(expected)
            assert len(got) == len(expected)
        described = self.call("DescribeTable", {"TableName": self.table.name})["Table"]
        assert described["ItemCount"] == len(self.model.items)

    def teardown(self) -> None:
        if hasattr(self, "engine"):
            self.engine.close()


class FileMachine(EngineMachine):
    """The same on a file, which is also closed and opened again."""

    def opened(self) -> Engine:
        if not hasattr(self, "folder"):
            self.folder = tempfile.TemporaryDirectory()
        return Engine.open(Path(self.folder.name) / "engine.db", durable=False)

    @rule()
    def reopen(self) -> None:
        self.engine.close()
        self.engine = self.opened()

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "folder"):
            self.folder.cleanup()


def update_expression(changes: Item, gone: set[str]) -> dict[str, Any]:
    """SET and REMOVE of these attributes, as the members of a request."""
    parts = []
    if changes:
        parts.append("SET " + ", ".join(f"#{name} = :{name}" for name in changes))
    if gone:
        parts.append("REMOVE " + ", ".join(f"#{name}" for name in gone))
    request: dict[str, Any] = {}
    if parts:
        request["UpdateExpression"] = " ".join(parts)
        request["ExpressionAttributeNames"] = {f"#{name}": name for name in (*changes, *gone)}
    if changes:
        request["ExpressionAttributeValues"] = {f":{name}": value for name, value in changes.items()}
    return request


# Without explanations of failures: they take minutes, and the steps say enough.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
TestEngineInMemory = EngineMachine.TestCase
TestEngineInMemory.settings = settings(max_examples=35, stateful_step_count=30, phases=PHASES)
TestEngineInFile = FileMachine.TestCase
TestEngineInFile.settings = settings(max_examples=15, stateful_step_count=30, phases=PHASES)
