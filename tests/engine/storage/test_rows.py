"""Rows, spaces and notes in every storage."""

from __future__ import annotations

import pytest

from pksk.engine.storage import Row, SpaceMissing, Storage

from .failing import failing

MANY = 250  # more than is read ahead


def _keys(
    storage: Storage, space: int, low: bytes, high: bytes | None, *, backwards: bool = False
) -> list[bytes]:
    with storage.reading() as reader:
        read = [row.key for row in reader.rows(space, low, high, backwards=backwards)]
    with storage.writing() as writer:
        written = [row.key for row in writer.rows(space, low, high, backwards=backwards)]

    assert read == written
    return read


def test_a_stored_row_can_be_read(storage: Storage, space: int) -> None:
    with storage.reading() as reader:
        assert reader.get(space, b"b") == storage.get(space, b"b") == Row(b"b", 2, b"bbb")


def test_a_missing_row_is_none(storage: Storage, space: int) -> None:
    with storage.reading() as reader:
        assert reader.get(space, b"x") is storage.get(space, b"x") is None


def test_a_put_replaces_the_row_with_its_key(storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        writer.put(space, b"b", 20, b"new")

    assert storage.get(space, b"b") == Row(b"b", 20, b"new")
    assert _keys(storage, space, b"", None) == [b"a", b"b", b"c"]


def test_deleting_a_row_twice_is_not_an_error(storage: Storage, space: int) -> None:
    for _ in range(2):
        with storage.writing() as writer:
            writer.delete(space, b"b")

    assert storage.get(space, b"b") is None
    assert _keys(storage, space, b"", None) == [b"a", b"c"]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (b"", None, [b"a", b"b", b"c"]),
        (b"b", None, [b"b", b"c"]),
        (b"b\0", None, [b"c"]),
        (b"a", b"c", [b"a", b"b"]),
        (b"a", b"a", []),
        (b"c", b"a", []),
        (b"d", None, []),
    ],
)
def test_rows_run_from_low_to_before_high(
    low: bytes, high: bytes | None, expected: list[bytes], storage: Storage, space: int
) -> None:
    assert _keys(storage, space, low, high) == expected
    assert _keys(storage, space, low, high, backwards=True) == expected[::-1]


def test_rows_are_in_the_order_of_their_bytes(storage: Storage, space: int) -> None:
    keys = [b"", b"\0", b"\0\xff", b"\x7f", b"\x80", b"\xff", b"\xff\xff"]
    with storage.writing() as writer:
        made = writer.make_space()
        for key in reversed(keys):
            writer.put(made, key, 0, b"")

    assert _keys(storage, made, b"", None) == keys


@pytest.mark.parametrize("backwards", [False, True])
def test_many_rows_are_read_in_order(backwards: bool, storage: Storage, space: int) -> None:
    keys = [b"%04d" % number for number in range(MANY)]
    with storage.writing() as writer:
        for key in keys:
            writer.put(space, key, 1, key)

    found = _keys(storage, space, b"", b"a", backwards=backwards)

    assert found == (keys[::-1] if backwards else keys)


def test_a_block_can_leave_rows_unread(storage: Storage, space: int) -> None:
    with storage.reading() as reader:
        assert next(reader.rows(space, b"", None)).key == b"a"

    with storage.writing() as writer:
        writer.drop_space(space)


def test_several_ranges_can_be_read_at_once(storage: Storage, space: int) -> None:
    with storage.reading() as reader:
        pairs = zip(reader.rows(space, b"", None), reader.rows(space, b"", None, backwards=True), strict=True)

        assert [(one.key, other.key) for one, other in pairs] == [(b"a", b"c"), (b"b", b"b"), (b"c", b"a")]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_writer_can_delete_the_rows_that_it_iterates(backwards: bool, storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        for number in range(MANY):
            writer.put(space, b"%04d" % number, 1, b"")
        seen = 0
        for row in writer.rows(space, b"", b"a", backwards=backwards):
            writer.delete(space, row.key)
            seen += 1

    assert seen == MANY
    assert _keys(storage, space, b"", None) == [b"a", b"b", b"c"]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_writer_sees_every_row_once_while_it_replaces_and_adds(
    backwards: bool, storage: Storage, space: int
) -> None:
    keys = [b"%04d" % number for number in range(MANY)]
    with storage.writing() as writer:
        for key in keys:
            writer.put(space, key, 1, b"")
        seen = []
        for row in writer.rows(space, b"", b"a", backwards=backwards):
            if row.size == 1:
                seen.append(row.key)
                writer.put(space, row.key, 2, b"")
                writer.put(space, row.key + b"+", 3, b"")

    assert sorted(seen) == keys


def test_a_writer_fills_one_space_from_another(storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        index = writer.make_space()
        for row in writer.rows(space, b"", None):
            writer.put(index, row.data, row.size, row.key)

    assert _keys(storage, index, b"", None) == [b"aaa", b"bbb", b"ccc"]


def test_totals_follow_every_change(storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        assert writer.totals(space) == (3, 6)
        writer.put(space, b"d", 10, b"")
        writer.put(space, b"a", 5, b"")
        writer.get(space, b"b")
        writer.delete(space, b"b")
        writer.delete(space, b"x")
        writer.delete(space, b"b")
        assert writer.totals(space) == (3, 18)

    with storage.reading() as reader:
        assert reader.totals(space) == (3, 18)


def test_a_failed_block_does_not_change_totals(storage: Storage, space: int) -> None:
    with storage.reading() as reader:
        assert reader.totals(space) == (3, 6)
    with failing(storage.writing()) as writer:
        writer.delete(space, b"a")
        writer.put(space, b"b", 100, b"")
        assert writer.totals(space) == (2, 103)

    with storage.reading() as reader:
        assert reader.totals(space) == (3, 6)


def test_an_empty_space_has_no_totals(storage: Storage) -> None:
    with storage.writing() as writer:
        made = writer.make_space()

        assert writer.totals(made) == (0, 0)


def test_spaces_are_independent(storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        other = writer.make_space()
        writer.put(other, b"b", 7, b"")
        writer.delete(other, b"a")

    assert (storage.get(space, b"b"), storage.get(other, b"b")) == (Row(b"b", 2, b"bbb"), Row(b"b", 7, b""))
    assert storage.get(space, b"a") is not None


def test_the_number_of_a_dropped_space_is_not_used_again(storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        writer.drop_space(space)
    with storage.writing() as writer:
        assert writer.make_space() > space


def test_using_a_dropped_space_raises_with_its_number(storage: Storage, space: int) -> None:
    with storage.reading() as reader:
        assert reader.totals(space) == (3, 6)
    with storage.writing() as writer:
        writer.drop_space(space)

    with pytest.raises(SpaceMissing, match=f"Space {space} does not exist"):
        storage.get(space, b"a")
    with pytest.raises(SpaceMissing), storage.reading() as reader:
        list(reader.rows(space, b"", None))
    with pytest.raises(SpaceMissing), storage.reading() as reader:
        reader.totals(space)
    with pytest.raises(SpaceMissing), storage.writing() as writer:
        writer.put(space, b"a", 1, b"")
    with pytest.raises(SpaceMissing) as raised, storage.writing() as writer:
        writer.drop_space(space)
    assert raised.value.space == space


def test_a_missing_space_raises_inside_the_block(storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        with pytest.raises(SpaceMissing):
            writer.totals(99)
        with pytest.raises(SpaceMissing):
            writer.drop_space(99)
        writer.put(space, b"d", 4, b"")
    with storage.reading() as reader:
        with pytest.raises(SpaceMissing):
            reader.get(99, b"a")
        with pytest.raises(SpaceMissing):
            reader.rows(99, b"", None)
        assert reader.get(space, b"d") is not None


def test_a_storage_can_be_used_after_a_missing_space(storage: Storage, space: int) -> None:
    with pytest.raises(SpaceMissing):
        storage.get(99, b"a")
    with pytest.raises(SpaceMissing), storage.writing() as writer:
        writer.put(99, b"a", 1, b"")

    assert _keys(storage, space, b"", None) == [b"a", b"b", b"c"]


def test_notes_are_found_by_prefix(storage: Storage) -> None:
    with storage.writing() as writer:
        for name in ("table/b", "table/a", "tab", "tabula", "zebra", "table/\U0010ffff", "table"):
            writer.note(name, name.encode())
        writer.note("table/b", b"again")

    assert list(storage.notes("table/").items()) == [
        ("table/a", b"table/a"),
        ("table/b", b"again"),
        ("table/\U0010ffff", "table/\U0010ffff".encode()),
    ]
    assert len(storage.notes("")) == 7


def test_a_note_is_removed_with_none(storage: Storage) -> None:
    with storage.writing() as writer:
        writer.note("one", b"1")
        writer.note("two", b"2")
        writer.note("one", None)
        writer.note("three", None)

    assert storage.notes("") == {"two": b"2"}


def test_a_copied_space_has_the_same_rows_and_is_independent(storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        copy = writer.copy_space(space)
        writer.put(space, b"d", 4, b"new")
        writer.delete(copy, b"a")

    assert _keys(storage, space, b"", None) == [b"a", b"b", b"c", b"d"]
    assert _keys(storage, copy, b"", None) == [b"b", b"c"]
    assert storage.get(copy, b"b") == Row(b"b", 2, b"bbb")


@pytest.mark.parametrize("counted_before", [False, True])
def test_a_copied_space_has_its_own_totals(storage: Storage, space: int, counted_before: bool) -> None:
    with storage.writing() as writer:
        if counted_before:
            writer.totals(space)
        copy = writer.copy_space(space)
        writer.put(copy, b"d", 4, b"new")

    with storage.reading() as reader:
        assert (reader.totals(space), reader.totals(copy)) == ((3, 6), (4, 10))


def test_a_copy_is_rolled_back_with_its_block(storage: Storage, space: int) -> None:
    copies: list[int] = []
    with failing(storage.writing()) as writer:
        copies.append(writer.copy_space(space))

    with storage.reading() as reader, pytest.raises(SpaceMissing):
        reader.get(copies[0], b"a")


def test_a_copy_of_many_rows_keeps_their_order(storage: Storage) -> None:
    keys = [b"%d" % number for number in range(MANY)]
    with storage.writing() as writer:
        space = writer.make_space()
        for key in keys:
            writer.put(space, key, 1, key)
        copy = writer.copy_space(space)

    assert _keys(storage, copy, b"", None) == sorted(keys)


def test_a_missing_space_cannot_be_copied(storage: Storage) -> None:
    with storage.writing() as writer, pytest.raises(SpaceMissing):
        writer.copy_space(77)
