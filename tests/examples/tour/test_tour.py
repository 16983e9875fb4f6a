"""A tour notices wrong answers, and prices that differ from the consumed capacity."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.tour import System, Tour, in_any_order
from examples.tour.demonstration import show_screens, show_steps
from pksk import GSI, Client, Entity, Key, Query, ServiceUnreachable, Store, Table, access, connect
from pksk.cli.commands import InputError

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
        tour.run(Note.of("1"), expected)

    return System("notes", "what people write", (notes,), generate, tour, items=9)


RIGHT = [note for note in generate(9) if note.author == "1"]


@pytest.mark.parametrize("expected", [RIGHT, in_any_order(reversed(RIGHT)), lambda found: len(found) == 3])
def test_a_step_with_the_expected_answer_is_right(expected: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert show_steps([system(expected)], "memory:", None, as_json=False) == []
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
def test_a_wrong_answer_is_reported(expected: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert show_steps([system(expected)], "memory:", None, as_json=False) == ["notes"]
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


def test_a_price_that_differs_from_the_consumed_units_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    with connect("memory:") as db:
        assert show_steps([system(RIGHT)], Dear(db.client), None, as_json=False) == ["notes"]
    assert "WRONG: priced 0.5 read units, consumed 7 read units" in capsys.readouterr().out


def test_a_demonstration_is_one_json_document_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    show_steps([system(RIGHT)], "memory:", None, as_json=True)

    section, stored, step, _, sums = json.loads(capsys.readouterr().out)
    assert section == {"section": "notes: what people write"}
    assert (step["patterns"], step["consumed"]["read"], step["problems"]) == (["Note.of"], 0.5, [])
    assert stored == {"stored": 9, "what": "notes"}
    assert sums["table"] == [{"system": "notes", "steps": 1, "wrong": 0, "read units": 0.5, "write units": 0}]


def test_a_tour_requires_empty_tables(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    show_steps([system(RIGHT)], file, None, as_json=True)

    with pytest.raises(InputError, match="'notes' has items"):
        show_steps([system(RIGHT)], file, None, as_json=True)


def test_a_table_with_items_is_rejected_as_json_on_request(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    show_steps([system(RIGHT)], file, None, as_json=True)

    with pytest.raises(InputError) as caught:
        show_steps([system(RIGHT)], file, None, as_json=True)

    error = json.loads(caught.value.message)["error"]
    assert (
        error["problem"]
        == "The table 'notes' has items, and they would change the answers that a tour checks."
    )
    assert error["fix"].startswith("run it in memory:")
    with pytest.raises(InputError, match=r"\nFix: run it in memory:"):
        show_steps([system(RIGHT)], file, None, as_json=False)


def fail(db: Store) -> list[Note]:
    raise KeyError("what was not there")


def system_of(tour: Callable[[Tour, int], None]) -> System:
    return System("notes", "what people write", (notes,), generate, tour, items=9)


def test_a_failed_operation_is_wrong_and_the_tour_continues(capsys: pytest.CaptureFixture[str]) -> None:
    def tour(tour: Tour, items: int) -> None:
        tour.fill(generate(items), items, "notes")
        tour.call("It fails", fail, [])
        tour.run(Note.of("1"), RIGHT)

    assert show_steps([system_of(tour)], "memory:", None, as_json=False) == ["notes"]
    out = capsys.readouterr().out
    assert "WRONG: KeyError: 'what was not there'" in out
    assert "notes       2      1         0.5            0" in out


def test_a_tour_that_needs_a_missing_answer_stops_with_an_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def tour(tour: Tour, items: int) -> None:
        found = tour.call("It fails", fail, [])
        tour.run(Note.of(found[0].author), RIGHT)

    other = System("more notes", "", (notes,), generate, lambda *_: None)
    assert show_steps([system_of(tour), other], "memory:", None, as_json=False) == ["notes"]
    out = capsys.readouterr().out
    assert "WRONG: left out, since it needs an answer that is missing: TypeError: " in out
    assert "notes           2      2" in out
    assert "more notes      0      0" in out


def test_a_mistake_of_the_tour_itself_is_not_hidden() -> None:
    def tour(tour: Tour, items: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        show_steps([system_of(tour)], "memory:", None, as_json=True)


def test_an_unreachable_target_ends_the_tour() -> None:
    def gone(db: Store) -> None:
        raise ServiceUnreachable("gone", "The server went away.")

    with pytest.raises(ServiceUnreachable):
        show_steps([system_of(lambda tour, _: tour.call("?", gone, None))], "memory:", None, as_json=True)


def test_calls_in_memory_are_checked_and_do_not_touch_the_target(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def tour(tour: Tour, items: int) -> None:
        for expected in (RIGHT, RIGHT[1:]):
            tour.call_in_memory("Elsewhere", [notes], generate(9), lambda db: db.run(Note.of("1")), expected)
        tour.run(Note.of("1"), [])

    assert show_steps([system_of(tour)], "memory:", None, as_json=True) == ["notes"]
    _, first, second, third, *_ = json.loads(capsys.readouterr().out)
    assert first["priced"] == first["consumed"]
    assert first["consumed"]["read"] == 0.5
    assert (first["problems"], third["problems"]) == ([], [])
    assert second["problems"] == ["expected 2 items, got 3 items"]


def test_a_note_that_does_not_hold_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    def tour(tour: Tour, items: int) -> None:
        tour.note("So it is.")
        tour.note("So it is not.", holds=False)

    assert show_steps([system_of(tour)], "memory:", None, as_json=True) == ["notes"]
    _, first, _, wrong, *_ = json.loads(capsys.readouterr().out)
    assert first == {"note": "So it is."}
    assert wrong["problems"] == ["the figures do not show this"]


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
        tour.call("everything", operations, None)
        assert tour.steps[0].priced.write > 30
        assert tour.steps[0].priced.read > 10

    assert show_steps([System("notes", "", (notes,), generate, tour)], "memory:", 100, as_json=False) == []


def system_with_screen(expected: Any) -> System:
    """The notes with all that a screen shows."""

    def run_tour(tour: Tour, items: int) -> None:
        tour.fill(generate(items), items, "notes")
        tour.run(Note.of("1"), expected)
        rows = [("one partition", 1, 0.5), ("a scan", 1, "-")]
        tour.compare("Two ways", ["way", "requests", "units"], rows, right=(1, 2), conclusion="One is exact.")
        tour.prove("It returns all notes of the author.", holds=True)

    keys = (Note.primary, Note.by_word)
    return System(
        "notes",
        "what people write",
        (notes,),
        generate,
        run_tour,
        items=9,
        keys=keys,
        short_names={"{number:03d}": "{number}"},
        commands=(("load", "some notes"),),
    )


def test_a_screen_shows_keys_comparison_proof_prices_and_next_commands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert show_screens([system_with_screen(RIGHT)], "memory:", None, as_json=False) == []

    module = __name__.rpartition(".")[0]
    assert capsys.readouterr().out.splitlines() == [
        "",
        "notes: what people write",
        "",
        "Key           In     Partition key    Sort key",
        "Note.primary  table  AUTHOR#{author}  NOTE#{number}",
        "Note.by_word  index  {word}",
        "",
        "Two ways",
        "",
        "way            requests  units",
        "one partition         1    0.5",
        "a scan                1      -",
        "",
        "One is exact.",
        "",
        "Proof: It returns all notes of the author.",
        "Checked: all 1 steps returned the expected results, on 9 items. Their requests were priced at 0.5",
        "  read and 0 write units: exactly what the engine consumed.",
        f"$ {'pksk demo notes --all'.ljust(15 + len(module))}  every step with its requests and costs",
        f"$ python -m {module} load  some notes",
    ]


def test_a_screen_shows_problems_and_the_difference_of_a_price(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert show_screens([system_with_screen(RIGHT[:2])], "memory:", None, as_json=False) == ["notes"]
    with connect("memory:") as db:
        assert show_screens([system_with_screen(RIGHT)], Dear(db.client), None, as_json=False) == ["notes"]

    out = " ".join(capsys.readouterr().out.split())
    assert "WRONG: The notes of an author.: expected 2 items, got 3 items" in out
    assert "Their requests were priced at 0.5 read and 0 write units, but the engine consumed 7 read" in out


def test_screens_are_one_json_document_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    show_screens([system_with_screen(RIGHT), system(RIGHT)], "memory:", None, as_json=True)

    first, second = json.loads(capsys.readouterr().out)
    assert first["keys"][1] == {
        "Key": "Note.by_word",
        "In": "index",
        "Partition key": "{word}",
        "Sort key": "",
    }
    assert first["comparison"]["table"][0] == {"way": "one partition", "requests": 1, "units": 0.5}
    assert first["priced"] == first["consumed"]
    assert (first["problems"], first["next"][0]) == ([], "pksk demo notes --all")
    assert (second["comparison"], second["proof"]) == (None, "")
