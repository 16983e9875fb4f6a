"""Every storage against plain dicts: random blocks, failures, shared commits and reopening."""

from __future__ import annotations

import tempfile
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pksk.engine.storage import MemoryStorage, Reader, Row, SqliteStorage, Storage, Writer

from .failing import Stop

keys = st.one_of(st.sampled_from([b"", b"\0", b"a", b"a\0", b"ab", b"b", b"\xff"]), st.binary(max_size=3))
names = st.one_of(st.sampled_from(["", "t", "table/a", "table/b", "\U0010ffff"]), st.text(max_size=2))
Step: TypeAlias = tuple[str, int, bytes, int, str]
steps = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "put", "delete", "note", "unnote", "make", "copy", "drop", "count"]),
        st.integers(0, 3),
        keys,
        st.integers(0, 500),
        names,
    ),
    max_size=8,
)
# A block: its steps, whether it fails at its end, and a nested block.
Block: TypeAlias = tuple[list[Step], bool, "tuple[list[Step], bool] | None"]
blocks = st.tuples(steps, st.booleans(), st.none() | st.tuples(steps, st.booleans()))


@dataclass
class Model:
    """What a storage should hold."""

    spaces: dict[int, dict[bytes, Row]] = field(default_factory=dict)
    notes: dict[str, bytes] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)

    def space(self, index: int) -> int | None:
        numbers = sorted(self.spaces)
        return numbers[index % len(numbers)] if numbers else None


def _do(step: Step, writer: Writer, model: Model) -> None:
    kind, index, key, size, name = step
    data = key * 2 + b"%d" % size
    if kind == "note":
        writer.note(name, data)
        model.notes[name] = data
    elif kind == "unnote":
        writer.note(name, None)
        model.notes.pop(name, None)
    elif kind == "make":
        made = writer.make_space()
        assert made not in model.dropped | set(model.spaces)
        model.spaces[made] = {}
    else:
        space = model.space(index)
        if space is not None:
            _do_in_space(kind, space, Row(key, size, data), writer, model)


def _do_in_space(kind: str, space: int, row: Row, writer: Writer, model: Model) -> None:
    rows = model.spaces[space]
    if kind == "put":
        writer.put(space, *row)
        rows[row.key] = row
    elif kind == "delete":
        writer.delete(space, row.key)
        rows.pop(row.key, None)
    elif kind == "copy":
        copied = writer.copy_space(space)
        assert copied not in model.dropped | set(model.spaces)
        model.spaces[copied] = dict(rows)
    elif kind == "drop":
        writer.drop_space(space)
        del model.spaces[space]
        model.dropped.add(space)
    else:
        assert writer.get(space, row.key) == rows.get(row.key)
        assert writer.totals(space) == (len(rows), sum(each.size for each in rows.values()))


class StorageMachine(RuleBasedStateMachine):
    """After every rule the storage equals the model."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.folder = tempfile.TemporaryDirectory()
        self.storage = self.opened()

    def opened(self) -> Storage:
        return MemoryStorage()

    def teardown(self) -> None:
        self.storage.close()
        self.folder.cleanup()

    @initialize(rows=st.dictionaries(keys, st.integers(0, 500), max_size=20))
    def fill(self, rows: dict[bytes, int]) -> None:
        with self.storage.writing() as writer:
            space = writer.make_space()
            for key, size in rows.items():
                writer.put(space, key, size, key)
        self.model.spaces[space] = {key: Row(key, size, key) for key, size in rows.items()}

    def run(self, block: Block) -> None:
        """Do a block, and let the model go back where it fails."""
        doing, fails, inside = block
        before = deepcopy(self.model)
        try:
            with self.storage.writing() as writer:
                for step in doing:
                    _do(step, writer, self.model)
                if inside is not None:
                    self.run((*inside, None))
                self.compare(writer)
                if fails:
                    raise Stop
        except Stop:
            self.model = before

    @rule(block=blocks)
    def write(self, block: Block) -> None:
        self.run(block)

    @rule(shared=st.lists(blocks, max_size=3), fails=st.booleans())
    def share(self, shared: list[Block], fails: bool) -> None:
        try:
            with self.storage.sharing_commit():
                for block in shared:
                    self.run(block)
                with self.storage.reading() as reader:
                    self.compare(reader)
                if fails:
                    raise Stop
        except Stop:
            pass

    @rule(index=st.integers(0, 3), low=keys, high=st.none() | keys, backwards=st.booleans())
    def read(self, index: int, low: bytes, high: bytes | None, backwards: bool) -> None:
        space = self.model.space(index)
        if space is None:
            return
        rows = self.model.spaces[space]
        between = [
            key for key in sorted(rows, reverse=backwards) if low <= key and (high is None or key < high)
        ]

        with self.storage.reading() as reader:
            assert list(reader.rows(space, low, high, backwards=backwards)) == [rows[key] for key in between]
        assert self.storage.get(space, low) == rows.get(low)

    @rule(prefix=names)
    def find(self, prefix: str) -> None:
        expected = sorted(item for item in self.model.notes.items() if item[0].startswith(prefix))

        assert list(self.storage.notes(prefix).items()) == expected

    @invariant()
    def holds_what_the_model_holds(self) -> None:
        with self.storage.reading() as reader:
            self.compare(reader)

    def compare(self, view: Reader) -> None:
        for space, rows in self.model.spaces.items():
            assert list(view.rows(space, b"", None)) == [rows[key] for key in sorted(rows)]
            assert [view.get(space, key) for key in rows] == list(rows.values())
            assert view.totals(space) == (len(rows), sum(row.size for row in rows.values()))
        assert self.storage.notes("") == self.model.notes


class FileMachine(StorageMachine):
    """The same in a file, which is closed and opened again now and then."""

    def opened(self) -> Storage:
        return SqliteStorage(Path(self.folder.name) / "tables.db", durable=False)

    @precondition(lambda self: self.model.spaces)
    @rule()
    def reopen(self) -> None:
        self.storage.close()
        self.storage = self.opened()


class SqliteInMemoryMachine(StorageMachine):
    """The same with SQLite, without a file."""

    def opened(self) -> Storage:
        return SqliteStorage(":memory:")


@pytest.mark.parametrize("machine", [StorageMachine, FileMachine, SqliteInMemoryMachine])
def test_a_storage_behaves_like_its_model(machine: type[StorageMachine]) -> None:
    # A step is a whole block, so a few of them say much.
    few = settings(max_examples=settings().max_examples // 4, stateful_step_count=8)

    run_state_machine_as_test(machine, settings=few)
