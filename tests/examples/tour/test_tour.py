"""A tour sees what is wrong: answers, and prices that are not what was consumed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.tour import System, Tour, in_any_order
from examples.tour.demonstration import demonstrate
from pksk import GSI, Client, Entity, Key, Query, Store, Table, access, connect
from pksk.cli.commands import Refusal

notes = Table("notes", indexes=[GSI("by-word", pk="word", projection="keys")])


class Note(Entity, table=notes):
    author: str
    number: int
    word: str

    primary = Key("AUTHOR#{author}", "NOTE#{number:03d}")
    by_word = Key("{word}", index="by-word")

    @access(items=10)
    @classmethod
    def of(cls, author: str) -> Query[Note]:
        """The notes of an author."""
        return cls.primary(author=author)


def generate(items: int) -> Iterator[Note]:
    return (Note(author=str(number % 3), number=number, word="w") for number in range(items))


def system(expected: Any) -> System:
    def tour(tour: Tour, items: int) -> None:
        tour.fill(generate(items), items, "notes")
        tour.ask(Note.of("1"), expected)

    return System("notes", "what people write", (notes,), generate, tour, items=9)


RIGHT = [note for note in generate(9) if note.author == "1"]


@pytest.mark.parametrize("expected", [RIGHT, in_any_order(reversed(RIGHT)), lambda found: len(found) == 3])
def test_a_right_answer_is_right(expected: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert demonstrate([system(expected)], "memory:", None, as_json=False) == []
    assert capsys.readouterr().out.splitlines()[4:] == [
        "The notes of an author.  Note.of",
        "  Query notes pk = 'AUTHOR#1' AND begins_with(sk, 'NOTE#')",
        "  3 items                 estimated 0.5 read          priced 0.5 read          consumed 0.5 read",
        "",
        "In short",
        "",
        "system  steps  wrong  read units  write units",
        "notes       1      0         0.5            0",
    ]


@pytest.mark.parametrize(
    "expected", [RIGHT[:2], RIGHT[::-1], in_any_order(RIGHT[:2]), lambda found: not found]
)
def test_a_wrong_answer_is_told(expected: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert demonstrate([system(expected)], "memory:", None, as_json=False) == ["notes"]
    assert "WRONG: " in capsys.readouterr().out


class Dear:
    """A client that says it consumed more than it should."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        answer = dict(self._client.call(operation, request))
        if operation == "Query" and "ConsumedCapacity" in answer:
            answer["ConsumedCapacity"] = {
                "TableName": "notes",
                "CapacityUnits": 7.0,
                "Table": {"CapacityUnits": 7.0},
            }
        return answer


def test_a_price_that_is_not_what_was_consumed_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    with connect("memory:") as db:
        assert demonstrate([system(RIGHT)], Dear(db.client), None, as_json=False) == ["notes"]
    assert "WRONG: priced 0.5 read units, consumed 7 read units" in capsys.readouterr().out


def test_a_demonstration_is_one_json_document_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    demonstrate([system(RIGHT)], "memory:", None, as_json=True)

    section, stored, step, _, sums = json.loads(capsys.readouterr().out)
    assert section == {"section": "notes: what people write"}
    assert (step["patterns"], step["consumed"]["read"], step["problems"]) == (["Note.of"], 0.5, [])
    assert stored == {"stored": 9, "what": "notes"}
    assert sums["table"][0]["wrong"] == "0"


def test_a_tour_wants_an_empty_place_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    demonstrate([system(RIGHT)], file, None, as_json=True)

    with pytest.raises(Refusal, match="'notes' has items"):
        demonstrate([system(RIGHT)], file, None, as_json=True)


def operations(db: Store) -> None:
    """Some of every kind of request."""
    db.create(Note(author="9", number=1, word="x" * 1500))
    db.update(Note.primary.update(author="9", number=1).set(word="y"))
    db.move(Note.primary.get(author="9", number=1), number=2)
    db.batch_put(*generate(30))
    db.batch_get(*(Note.primary.get(author="1", number=number) for number in range(9)))
    db.transaction(Note.primary.get(author="9", number=2), Note.primary.get(author="0", number=0))
    list(db.iter(Note.by_word(word="w").hydrate()))
    list(db.scan(Note.scan(), segments=3))
    db.count(Note.of("1"))
    db.page(Note.of("1").limit(2))
    db.delete(Note.primary.delete(author="9", number=2))


def test_every_kind_of_request_is_priced(capsys: pytest.CaptureFixture[str]) -> None:
    def tour(tour: Tour, items: int) -> None:
        tour.do("everything", operations, None)
        assert tour.steps[0].priced.write > 30
        assert tour.steps[0].priced.read > 10

    assert demonstrate([System("notes", "", (notes,), generate, tour)], "memory:", 100, as_json=False) == []
