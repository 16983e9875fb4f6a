"""Blocks are all or nothing: storing, reading and rolling back."""

from __future__ import annotations

import pytest

from pksk.engine.storage import Reader, Row, Storage, StorageClosed, StorageProblem, Writer

from .failing import Stop, failing


def test_a_writer_sees_its_own_writes(storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        writer.put(space, b"d", 4, b"d")
        writer.delete(space, b"a")

        assert writer.get(space, b"d") == Row(b"d", 4, b"d")
        assert [row.key for row in writer.rows(space, b"", None)] == [b"b", b"c", b"d"]


def test_the_writing_thread_sees_its_writes_through_every_read(storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        writer.put(space, b"d", 4, b"d")
        writer.note("n", b"1")

        assert storage.get(space, b"d") == Row(b"d", 4, b"d")
        assert storage.notes("") == {"n": b"1"}
        with storage.reading() as reader:
            assert [row.key for row in reader.rows(space, b"c", None)] == [b"c", b"d"]
            assert reader.totals(space) == (4, 10)


def test_a_failed_block_stores_nothing(storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        writer.note("n", b"1")
    with failing(storage.writing()) as writer:
        writer.put(space, b"d", 4, b"d")
        writer.put(space, b"a", 4, b"other")
        writer.put(space, b"a", 5, b"third")
        writer.delete(space, b"b")
        writer.delete(space, b"d")
        writer.put(space, b"b", 6, b"again")
        writer.note("n", None)
        writer.note("m", b"2")

    with storage.reading() as reader:
        assert [row.data for row in reader.rows(space, b"", None)] == [b"aaa", b"bbb", b"ccc"]
        assert reader.totals(space) == (3, 6)
    assert storage.notes("") == {"n": b"1"}


def test_a_failed_block_neither_creates_nor_drops_spaces(storage: Storage, space: int) -> None:
    made = 0
    with failing(storage.writing()) as writer:
        made = writer.make_space()
        writer.put(made, b"x", 1, b"")
        writer.put(space, b"a", 9, b"changed")
        writer.drop_space(space)

    assert storage.get(space, b"a") == Row(b"a", 1, b"aaa")
    with pytest.raises(StorageProblem):
        storage.get(made, b"x")


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_any_exception_rolls_back_a_block(error: type[BaseException], storage: Storage, space: int) -> None:
    with pytest.raises(error), storage.writing() as writer:
        _delete_and_raise(writer, space, error)

    assert storage.get(space, b"a") is not None


def _delete_and_raise(writer: Writer, space: int, error: type[BaseException]) -> None:
    writer.delete(space, b"a")
    raise error


def test_an_inner_block_fails_alone(storage: Storage, space: int) -> None:
    with storage.writing() as outer:
        outer.totals(space)
        outer.put(space, b"d", 4, b"outer")
        with failing(storage.writing()) as inner:
            inner.put(space, b"d", 40, b"inner")
            inner.drop_space(space)
        assert outer.totals(space) == (4, 10)

    assert storage.get(space, b"d") == Row(b"d", 4, b"outer")


def test_an_inner_block_is_rolled_back_with_the_outer_one(storage: Storage, space: int) -> None:
    with failing(storage.writing()):
        with storage.writing() as inner:
            inner.put(space, b"d", 4, b"inner")
        assert storage.get(space, b"d") is not None

    assert storage.get(space, b"d") is None


def test_blocks_that_share_a_commit_are_all_stored(storage: Storage, space: int) -> None:
    with storage.sharing_commit():
        for key in (b"d", b"e"):
            with storage.writing() as writer:
                writer.put(space, key, 1, key)
            assert storage.get(space, key) == Row(key, 1, key)

    with storage.reading() as reader:
        assert [row.key for row in reader.rows(space, b"d", None)] == [b"d", b"e"]
        assert reader.totals(space) == (5, 8)


def test_a_failed_block_does_not_affect_blocks_of_the_same_commit(storage: Storage, space: int) -> None:
    with storage.sharing_commit():
        with storage.writing() as writer:
            writer.put(space, b"d", 1, b"")
        with failing(storage.writing()) as writer:
            writer.put(space, b"e", 1, b"")
            writer.delete(space, b"d")
        with storage.writing() as writer:
            writer.put(space, b"f", 1, b"")

    with storage.reading() as reader:
        assert [row.key for row in reader.rows(space, b"d", None)] == [b"d", b"f"]


def test_an_exception_in_a_shared_commit_keeps_the_blocks_that_had_ended(
    storage: Storage, space: int
) -> None:
    with pytest.raises(Stop), storage.sharing_commit():
        _write_one_and_fail_at_another(storage, space)

    assert storage.get(space, b"d") is not None
    assert storage.get(space, b"e") is None


def _write_one_and_fail_at_another(storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        writer.put(space, b"d", 1, b"")
    with storage.writing() as writer:
        writer.put(space, b"e", 1, b"")
        raise Stop


def test_a_shared_commit_inside_another_joins_it(storage: Storage, space: int) -> None:
    with storage.sharing_commit(), storage.sharing_commit(), storage.writing() as writer:
        writer.put(space, b"d", 1, b"")

    assert storage.get(space, b"d") is not None


def test_a_shared_commit_inside_a_writing_block_is_part_of_it(storage: Storage, space: int) -> None:
    with failing(storage.writing()), storage.sharing_commit(), storage.writing() as writer:
        writer.put(space, b"d", 1, b"")

    assert storage.get(space, b"d") is None


def test_a_nested_reading_block_does_not_end_the_outer_one(storage: Storage, space: int) -> None:
    with storage.reading() as outer:
        rows = outer.rows(space, b"", None)
        first = next(rows)
        with storage.reading() as inner:
            next(inner.rows(space, b"", None))
        storage.get(space, b"a")

        assert [first.key, *(row.key for row in rows)] == [b"a", b"b", b"c"]


def test_a_closed_storage_raises(storage: Storage, space: int) -> None:
    with storage.reading():
        pass
    storage.close()
    storage.close()

    with pytest.raises(StorageClosed, match="The storage is closed"):
        storage.get(space, b"a")
    with pytest.raises(StorageClosed):
        storage.notes("")
    with pytest.raises(StorageClosed), storage.reading():
        pass
    with pytest.raises(StorageClosed), storage.writing():
        pass
    with pytest.raises(StorageClosed), storage.sharing_commit():
        pass


def test_a_storage_cannot_be_closed_inside_a_writing_block(storage: Storage, space: int) -> None:
    for block in (storage.writing, storage.sharing_commit):
        with pytest.raises(StorageProblem, match="inside"), block():
            storage.close()

    assert storage.get(space, b"a") is not None


def test_a_storage_closed_inside_a_reading_block_raises(storage: Storage, space: int) -> None:
    with pytest.raises(StorageClosed), storage.reading() as reader:
        _close_and_get(storage, reader, space)

    storage.close()


def _close_and_get(storage: Storage, reader: Reader, space: int) -> None:
    next(reader.rows(space, b"", None))
    storage.close()
    reader.get(space, b"a")
