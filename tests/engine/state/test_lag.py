"""Lagging reads: previous rows, against a history that keeps every state."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.engine.state import Lag
from pksk.engine.storage import MemoryStorage, Row

from ..items.shelf import PK, Shelf, text


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_global_index_shows_a_write_when_the_lag_ends_and_the_table_at_once() -> None:
    clock = Clock()
    shelf = Shelf(lag=10, clock=clock)
    shelf.index("global", "g:S")
    shelf.index("local", "pk:S", "g:S")

    def seen(**index: str) -> list[str]:
        key = "g" if index.get("IndexName") == "global" else "pk"
        items = shelf.query(f"{key} = :p", PK, **index)["Items"]
        assert shelf.scan(**index)["Items"] == items
        return [item["a"]["S"] for item in items]

    shelf.put(text(pk="p", sk="s", g="p", a="old"))
    assert (seen(), seen(IndexName="local"), seen(IndexName="global")) == (["old"], ["old"], [])
    clock.now += 9.5
    assert seen(IndexName="global") == []
    clock.now += 0.5
    assert seen(IndexName="global") == ["old"]
    shelf.put(text(pk="p", sk="s", g="p", a="new"))
    assert (seen(), seen(IndexName="global")) == (["new"], ["old"])
    clock.now += 5
    shelf.delete(text(pk="p", sk="s"))
    assert (seen(), seen(IndexName="global")) == ([], ["old"])
    clock.now += 5
    assert seen(IndexName="global") == ["new"]
    clock.now += 5
    assert seen(IndexName="global") == []


def test_a_moving_entry_is_visible_under_one_key_at_a_time() -> None:
    clock = Clock()
    shelf = Shelf(lag=10, clock=clock)
    shelf.index("global", "g:S")
    shelf.put(text(pk="p", sk="s", g="a"))
    clock.now += 10
    shelf.put(text(pk="p", sk="s", g="b"))

    for waited, found in ((0, ["a"]), (9, ["a"]), (1, ["b"])):
        clock.now += waited
        assert [item["g"]["S"] for item in shelf.scan(IndexName="global")["Items"]] == found


def test_previous_rows_are_dropped_after_the_lag() -> None:
    clock = Clock()
    lag = Lag(10, clock)
    for number in range(100):
        lag.note(1, bytes([number]), None)
        clock.now += 1

    assert len(lag._notes) == len(lag._images[1]) == 10


def test_a_clock_that_goes_back_does_not_bring_the_past_back() -> None:
    clock = Clock()
    lag, storage = Lag(10, clock), MemoryStorage()
    with storage.writing() as writer:
        space = writer.make_space()
        lag.note(space, b"a", None)
        writer.put(space, b"a", 1, b"new")
    clock.now += 10

    def seen() -> list[bytes]:
        with storage.reading() as reader:
            return [row.data for row in lag.rows(reader, space, b"", None)]

    assert seen() == [b"new"]
    clock.now -= 5
    assert seen() == [b"new"]


_KEYS = st.sampled_from([b"a", b"b", b"ba", b"c", b"d"])
_STEPS = st.lists(
    st.tuples(st.just("put"), _KEYS, st.binary(max_size=1))
    | st.tuples(st.just("delete"), _KEYS, st.just(b""))
    | st.tuples(st.just("undone"), _KEYS, st.binary(max_size=1))
    | st.tuples(st.just("wait"), st.sampled_from([1, 2, 5]), st.just(b"")),
    min_size=12,
    max_size=30,
)


@settings(max_examples=max(40, settings().max_examples), deadline=None)
@given(steps=_STEPS, low=_KEYS, high=st.none() | _KEYS, seconds=st.integers(1, 6))
def test_rows_are_as_they_were_in_either_direction(
    steps: list[tuple[str, bytes | int, bytes]], low: bytes, high: bytes | None, seconds: int
) -> None:
    clock, storage = Clock(), MemoryStorage()
    lag = Lag(seconds, clock)
    with storage.writing() as writer:
        space = writer.make_space()
    state: dict[bytes, bytes] = {}
    history: dict[float, dict[bytes, bytes]] = {clock.now - seconds: {}, clock.now: {}}

    for step, key, data in steps:
        if isinstance(key, int):
            clock.now += key
        else:
            _write(storage, lag, space, step, (key, data))
            if step != "undone":
                state = {name: value for name, value in state.items() if name != key}
                state |= {key: data} if step == "put" else {}
        history[clock.now] = dict(state)
        visible = history[max(time for time in history if time <= clock.now - seconds)]
        expected = [
            (name, visible[name]) for name in sorted(visible) if low <= name and (not high or name < high)
        ]
        with storage.reading() as reader:
            forward = list(lag.rows(reader, space, low, high))
            backward = list(lag.rows(reader, space, low, high, backwards=True))
        assert [(row.key, row.data) for row in forward] == expected
        assert backward == forward[::-1]


def _write(storage: MemoryStorage, lag: Lag, space: int, step: str, written: tuple[bytes, bytes]) -> None:
    key, data = written
    try:
        with storage.writing() as writer:
            lag.note(space, key, writer.get(space, key))
            if step == "delete":
                writer.delete(space, key)
            else:
                writer.put(space, key, 1, data)
            if step == "undone":
                raise InterruptedError
    except InterruptedError:
        assert step == "undone"


def test_a_previous_row_is_returned_unchanged() -> None:
    clock = Clock()
    lag, storage = Lag(10, clock), MemoryStorage()
    with storage.writing() as writer:
        space = writer.make_space()
    old = Row(b"k", 7, b"old")
    lag.note(space, b"k", old)

    with storage.reading() as reader:
        assert list(lag.rows(reader, space, b"", None)) == [old]
