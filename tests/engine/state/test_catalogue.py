"""Tables in memory and in storage: looked up, changed, and equal after reopening."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any, cast

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.client import ServiceError
from pksk.engine.settings import Settings
from pksk.engine.state import Catalogue, Change
from pksk.engine.storage import MemoryStorage, Storage, Writer, open_storage
from tests.engine.state.catalogues import ARN, NAME, START, Clock, Opened, defined, index, table, units

# Looking up.


def test_a_table_is_one_object_until_it_is_deleted() -> None:
    opened = Opened()
    opened.create()
    first = opened.catalogue.table(NAME)

    opened.update(
        AttributeDefinitions=defined("a"), GlobalSecondaryIndexUpdates=[{"Create": index("by-a", "a")}]
    )

    assert opened.catalogue.table(NAME) is first
    assert opened.catalogue.table(ARN) is first
    assert list(first.indexes) == ["by-a"]
    opened.call("DeleteTable", {"TableName": NAME})
    opened.create()
    assert opened.catalogue.table(NAME) is not first


@pytest.mark.parametrize("name", [NAME, ARN])
def test_item_operations_do_not_name_a_missing_table(name: str) -> None:
    with pytest.raises(ServiceError, match=r"ResourceNotFoundException: Requested resource not found$"):
        Opened().catalogue.table(name)


@pytest.mark.parametrize(
    ("arn", "code"),
    [
        (ARN.replace("us-east-1", "eu-west-1"), "ValidationException"),
        (ARN.replace("table/", "backup/"), "ValidationException"),
        ("arn:", "ValidationException"),
        (ARN.replace("000000000000", "111111111111"), "AccessDeniedException"),
    ],
)
def test_a_foreign_arn_is_rejected(arn: str, code: str) -> None:
    opened = Opened()
    opened.create()

    with pytest.raises(ServiceError) as caught:
        opened.catalogue.table(arn)

    assert caught.value.code == code


def test_the_clock_is_read_only_while_a_change_is_in_progress() -> None:
    reads = []
    clock = Clock()

    def counted() -> float:
        reads.append(clock.now)
        return clock.now

    storage = MemoryStorage()
    opened = Opened(storage, clock)
    opened.create()
    opened.describe()
    catalogue = Catalogue(storage, Settings(clock=counted))
    catalogue.table(NAME)
    reads.clear()

    catalogue.table(NAME)

    assert reads == []


def test_a_table_is_usable_from_the_moment_on_at_which_it_is_done() -> None:
    opened = Opened(create_table=10)
    opened.create()
    opened.clock.now += 9.5
    with pytest.raises(ServiceError, match="Requested resource not found"):
        opened.catalogue.table(NAME)

    opened.clock.now = START + 10

    assert opened.catalogue.table(NAME).name == NAME


def test_the_error_about_a_missing_index_names_it() -> None:
    opened = Opened()
    opened.create()

    with pytest.raises(ServiceError, match=r"The table does not have the specified index: other$"):
        opened.catalogue.table(NAME).index("other")


# Storing.


def test_arns_follow_the_account_and_region_that_an_engine_is_opened_with() -> None:
    opened = Opened()
    opened.create()

    elsewhere = Catalogue(opened.storage, Settings(account="123456789012", region="eu-west-1"))

    assert elsewhere.table(NAME).arn == "arn:aws:dynamodb:eu-west-1:123456789012:table/orders"
    assert b"arn:" not in opened.storage.notes("table/")[f"table/{NAME}"]


def test_tables_and_indexes_are_kept_after_reopening(tmp_path: Path) -> None:
    storage = open_storage(tmp_path / "engine.db")
    opened = Opened(storage)
    opened.create(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    opened.put(pk="1", a="x")
    opened.update(
        AttributeDefinitions=defined("a"), GlobalSecondaryIndexUpdates=[{"Create": index("by-a", "a")}]
    )
    before = opened.describe()
    storage.close()

    again = Opened(open_storage(tmp_path / "engine.db"), opened.clock)

    assert again.describe() == before
    assert before["GlobalSecondaryIndexes"][0]["ItemCount"] == 1
    again.call("DeleteTable", {"TableName": NAME})
    assert again.call("ListTables") == {"TableNames": []}
    again.storage.close()


class Failing:
    """A storage whose commits fail on demand."""

    def __init__(self) -> None:
        self.failing = False
        self._storage = MemoryStorage()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        with self._storage.writing() as writer:
            yield writer
            if self.failing:
                raise OSError("No space left on device")


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("CreateTable", table(TableName="another")),
        ("DeleteTable", {"TableName": NAME}),
        ("UpdateTable", {"TableName": NAME, "DeletionProtectionEnabled": True}),
        (
            "UpdateTable",
            {
                "TableName": NAME,
                "AttributeDefinitions": defined("a"),
                "GlobalSecondaryIndexUpdates": [{"Create": index("by-a", "a")}],
            },
        ),
    ],
)
def test_a_change_that_cannot_be_stored_changes_nothing(operation: str, request_: dict[str, Any]) -> None:
    storage = Failing()
    opened = Opened(cast("Storage", storage))
    opened.create()
    opened.put(pk="1", a="x")
    before = opened.describe()
    found = opened.catalogue.table(NAME)

    storage.failing = True
    code, _ = opened.error_of(operation, request_)
    storage.failing = False

    assert code == "InternalServerError"
    assert opened.call("ListTables") == {"TableNames": [NAME]}
    assert opened.describe() == before == opened.again().describe()
    assert opened.catalogue.table(NAME) is found
    assert found.exists
    assert found.indexes == {}
    opened.call(operation, request_)


actions = st.sampled_from(
    [
        ("UpdateTable", {"BillingMode": "PAY_PER_REQUEST"}),
        ("UpdateTable", {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(3, 4)}),
        ("UpdateTable", {"OnDemandThroughput": {"MaxReadRequestUnits": 5}}),
        ("UpdateTable", {"WarmThroughput": {"ReadUnitsPerSecond": 15000}}),
        ("UpdateTable", {"TableClass": "STANDARD_INFREQUENT_ACCESS"}),
        ("UpdateTable", {"DeletionProtectionEnabled": True}),
        ("UpdateTable", {"DeletionProtectionEnabled": False}),
        ("UpdateTable", {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}),
        ("UpdateTable", {"StreamSpecification": {"StreamEnabled": False}}),
        (
            "UpdateTable",
            {
                "AttributeDefinitions": defined("a"),
                "GlobalSecondaryIndexUpdates": [{"Create": index("by-a", "a")}],
            },
        ),
        ("UpdateTable", {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-a"}}]}),
        (
            "UpdateTimeToLive",
            {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}},
        ),
        ("DeleteTable", {}),
        ("CreateTable", {key: value for key, value in table().items() if key != "TableName"}),
    ]
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(actions, st.sampled_from([0, 1, 2, 5])), max_size=15))
def test_a_reopened_engine_describes_every_state_as_before(
    steps: list[tuple[tuple[str, dict[str, Any]], float]],
) -> None:
    opened = Opened(create_table=1, update_table=2, delete_table=2, backfill=3)

    for (operation, members), seconds in steps:
        with_name = {"TableName": NAME, **members}
        outcome = ""
        try:
            opened.call(operation, with_name)
        except ServiceError as error:
            outcome = error.code
        assert outcome != "InternalServerError"
        opened.clock.now += seconds
        again = opened.again()
        assert again.call("ListTables") == opened.call("ListTables")
        for name in opened.call("ListTables")["TableNames"]:
            assert again.describe(name) == opened.describe(name)


# Under many threads.


def test_many_threads_create_and_delete_without_losing_a_table() -> None:
    opened = Opened()
    problems: list[Exception] = []

    def work(number: int) -> None:
        try:
            for turn in range(10):
                name = f"table-{number}-{turn}"
                opened.create(TableName=name)
                assert opened.catalogue.table(name).name == name
                if turn % 2:
                    opened.call("DeleteTable", {"TableName": name})
        except Exception as problem:
            problems.append(problem)

    threads = [Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert problems == []
    expected = sorted(f"table-{number}-{turn}" for number in range(6) for turn in range(0, 10, 2))
    assert opened.call("ListTables")["TableNames"] == expected
    assert opened.again().call("ListTables")["TableNames"] == expected


def test_one_of_many_threads_that_create_a_table_succeeds() -> None:
    opened = Opened()
    answers: list[str] = []

    def work() -> None:
        try:
            answers.append(opened.create()["TableStatus"])
        except ServiceError as error:
            answers.append(error.code)

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(answers) == ["CREATING"] + ["ResourceInUseException"] * 7


@pytest.mark.parametrize("fails", [True, False])
def test_a_change_ends_before_the_next_begins(fails: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in memory: undoing a failed change does not overwrite a later change of another thread."""
    opened = Opened()
    opened.create()
    end, problems = Catalogue._end, []

    def protect() -> None:
        try:
            opened.update(DeletionProtectionEnabled=True)
        except Exception as problem:
            problems.append(problem)

    def slowly(catalogue: Catalogue, change: Change, *, keep: bool) -> None:
        if second.ident is None:
            second.start()
            second.join(0.1)  # it waits for this one
        end(catalogue, change, keep=keep)

    second = Thread(target=protect)
    monkeypatch.setattr(Catalogue, "_end", slowly)
    with suppress(KeyError), opened.catalogue.change() as change:
        found = opened.catalogue.table_in_any_state(NAME)
        change.save(found, {**found.record, "Tags": {"saved": "by the first"}})
        if fails:
            raise KeyError
    second.join()

    assert problems == []
    record = opened.catalogue.table(NAME).record
    assert record["DeletionProtectionEnabled"]
    assert ("Tags" in record) is not fails
    assert record == opened.again().catalogue.table(NAME).record


def test_an_item_written_while_an_index_is_added_is_in_it() -> None:
    opened = Opened()
    opened.create()
    problems: list[Exception] = []

    def write() -> None:
        try:
            for number in range(200):
                opened.put(pk=str(number), a=str(number))
        except Exception as problem:
            problems.append(problem)

    writer = Thread(target=write)
    writer.start()
    opened.update(
        AttributeDefinitions=defined("a"), GlobalSecondaryIndexUpdates=[{"Create": index("by-a", "a")}]
    )
    writer.join()

    assert problems == []
    rows = opened.catalogue.table(NAME).index("by-a")
    with opened.storage.reading() as reader:
        stored = {orjson.loads(row.data)["pk"]["S"] for row in reader.rows(rows.space, b"", None)}
    assert stored == {str(number) for number in range(200)}


def test_creation_is_dated_to_the_millisecond() -> None:
    opened = Opened()
    opened.clock.now = START + 0.123456

    assert opened.create()["CreationDateTime"] == START + 0.123


class LateClock(Clock):
    """A clock that jumps ahead after a number of reads."""

    looks: int | None = None

    def __call__(self) -> float:
        if self.looks is not None:
            self.looks -= 1
        return super().__call__() + (100.0 if self.looks is not None and self.looks < 0 else 0.0)


@pytest.mark.parametrize("looks", range(6))
def test_a_table_recreated_during_its_deletion_exists_after_reopening(looks: int) -> None:
    storage, clock = MemoryStorage(), LateClock()
    opened = Opened(storage, clock, delete_table=10)
    opened.create()
    opened.call("DeleteTable", {"TableName": NAME})
    clock.looks = looks
    # Where it has not gone yet when it is looked for, it has by the second time.
    with suppress(ServiceError):
        opened.create()
    with suppress(ServiceError):
        opened.create()
    opened.create(TableName="another")

    assert Opened(storage, Clock(START + 200)).catalogue.names() == ["another", NAME]
