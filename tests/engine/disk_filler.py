"""A program that fills a disk with an engine's file, from several threads, and frees space again."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import orjson

from pksk.engine import Engine, Partitioning, check_file

from .agreement import check_agreement, scanned
from .valid_requests import set_up

__all__ = ["main"]

THREADS = 3
_BALLAST_BYTES = 2_000_000


def main(how: str, folder: Path) -> None:
    """Write until the disk is full, compare the contents, free space, and write again."""
    path = folder / "tables.db"
    engine = set_up(Engine.open(path, partitioning=Partitioning(partition_bytes=50_000)))
    make_room = _limited() if how == "limit" else _ballast(folder)
    written = _Written(engine)
    written.until_it_fails()
    assert len(written.kept) > THREADS, "nothing could be written at all"
    assert all(b"disk is full" in body or b"disk I/O error" in body for body in written.errors), (
        written.errors
    )
    written.compare()

    make_room()
    written.write(99)
    assert "99" in written.kept
    written.compare()
    engine.close()
    report = check_file(path)
    assert report.is_sound, str(report)
    print(f"{len(written.errors)} rejected with {orjson.loads(written.errors[0])['message']!r}; sound")


def _limited() -> Callable[[], None]:
    """A limit on the size of files."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_BALLAST_BYTES, most))
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def _ballast(folder: Path) -> Callable[[], None]:
    """A file that takes most of a small disk."""
    ballast = folder / "ballast"
    ballast.write_bytes(bytes(_BALLAST_BYTES))
    return ballast.unlink


class _Written:
    """What was answered to writes: those that are stored by number, and the bodies of those that are not."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = Lock()
        self.kept: dict[str, Any] = {}
        self.errors: list[bytes] = []

    def until_it_fails(self) -> None:
        """Write from several threads until each was rejected a few times."""
        threads = [Thread(target=self._write_on, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def write(self, number: int) -> bool:
        """Write a few items with one commit; whether all were rejected."""
        items = [self._item(f"{number}{end}") for end in ("", ".1", ".2")]
        puts = [("PutItem", orjson.dumps({"TableName": "orders", "Item": item})) for item in items]
        with_reads = [*puts, ("Query", b"{}"), self._transaction(f"{number}.3")]
        answered = self._engine.answers(with_reads)
        with self._lock:
            for item, (status, body) in zip(items, answered, strict=False):
                self._note(item, status, body)
            self._note(self._item(f"{number}.3"), *answered[-1])
        return all(status == 500 for status, _ in answered[:3])

    def compare(self) -> None:
        """Assert that exactly the acknowledged items are stored, and that indexes and totals agree."""
        found = {
            item["sk"]["N"]: item for item in scanned(self._engine, "orders") if item["pk"]["S"] == "full"
        }
        assert found == self.kept, sorted(found.keys() ^ self.kept.keys())
        check_agreement(self._engine)

    def _write_on(self, number: int) -> None:
        raised = 0
        for count in range(1000, 100_000, THREADS):
            raised += self.write(count + number)
            if raised > 3:
                return

    def _note(self, item: dict[str, Any], status: int, body: bytes) -> None:
        if status == 200:
            self.kept[item["sk"]["N"]] = item
        else:
            self.errors.append(body)

    def _item(self, number: str) -> dict[str, Any]:
        return {
            "pk": {"S": "full"}, "sk": {"N": number}, "amount": {"N": number}, "status": {"S": "open"},
            "note": {"S": "x" * 900}, "expires": {"N": "4000000000"},
        }  # fmt: skip

    def _transaction(self, number: str) -> tuple[str, bytes]:
        actions = [{"Put": {"TableName": "orders", "Item": self._item(number)}}]
        return "TransactWriteItems", orjson.dumps({"TransactItems": actions, "ClientRequestToken": number})


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
