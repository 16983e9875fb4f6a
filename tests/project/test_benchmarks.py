"""The runner of benchmarks times fairly and prints its rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import pytest

from benchmarks import __main__ as runner
from benchmarks.http_subjects import SUBJECTS
from benchmarks.timing import Timing, compare, row

PAUSE_SECONDS = 0.001
BENCH = '''"""Adding numbers."""
def run(quick: bool = False) -> list[dict]:
    line = {"name": "add", "ours_us": 1.5, "peer": "other", "peer_us": 3000.0, "ratio": 2000.0, "spread": 0.1}
    return [line | {"quick": quick}, {"name": "alone", "ours_us": 2.0, "spread": 0.0}]
'''


def test_a_timing_is_the_median_and_the_interquartile_range_over_it() -> None:
    timing = Timing((1.0, 2.0, 4.0, 6.0, 100.0))

    assert (timing.median_us, timing.spread) == (4.0, 1.0)


def test_contestants_alternate_and_each_begins_some_rounds() -> None:
    order: list[str] = []
    compare({"a": lambda: _note(order, "a"), "b": lambda: _note(order, "b")}, quick=True)
    turns = "".join(order)[-10:]

    assert turns == "abbaabbaab"


def test_a_row_compares_pksk_with_a_peer() -> None:
    line = row("pause", lambda: sleep(PAUSE_SECONDS), "longer", lambda: sleep(3 * PAUSE_SECONDS), quick=True)

    assert line["ours_us"] >= PAUSE_SECONDS * 1e6
    assert line["ratio"] == line["peer_us"] / line["ours_us"] > 1


def test_a_row_without_a_peer_has_no_ratio() -> None:
    line = row("pause", lambda: sleep(PAUSE_SECONDS), quick=True)

    assert (line["peer"], line["peer_us"], line["ratio"]) == (None, None, None)


def test_the_runner_prints_a_plain_table_for_each_module(
    bench: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert runner.main([bench, "--quick"]) == 0
    assert capsys.readouterr().out.split("\n\n")[1] == (
        "Adding numbers.\n"
        "  name   ours, µs  peer   peer, µs  peer/ours  spread  quick\n"
        "  add        1.50  other     3,000      2,000     10%   True\n"
        "  alone      2.00  -             -          -      0%      -\n"
    )


def test_the_runner_prints_the_rows_as_json(bench: str, capsys: pytest.CaptureFixture[str]) -> None:
    runner.main([bench, "--json"])
    rows = json.loads(capsys.readouterr().out)[bench]

    assert [line["name"] for line in rows] == ["add", "alone"]


def test_the_runner_rejects_an_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.main(["nothing_of_that_name"]) == 2
    assert "No benchmark 'nothing_of_that_name'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["PutItem", "BatchWriteItem 25", "TransactWriteItems 4"])
def test_benchmarks_never_put_an_identical_item(name: str) -> None:
    (subject,) = (each for each in SUBJECTS if each.name == name)
    requests = [subject.request(n) for n in range(subject.variants)] * 2
    there: dict[str, Any] = {}
    for item in (item for request in requests for item in _items(request)):
        place = json.dumps([item["pk"], item["sk"]])

        assert there.get(place) != item
        there[place] = item


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "bench_adding.py").write_text(BENCH)
    monkeypatch.setattr(runner, "HERE", tmp_path)
    monkeypatch.setattr("benchmarks.__path__", [str(tmp_path)])
    yield "adding"
    monkeypatch.undo()


def _items(found: Any) -> Iterator[dict[str, Any]]:
    """The items of a request at any depth."""
    if isinstance(found, dict) and "Item" in found:
        yield found["Item"]
    elif isinstance(found, dict | list):
        for each in found.values() if isinstance(found, dict) else found:
            yield from _items(each)


def _note(order: list[str], name: str) -> None:
    order.append(name)
    until = perf_counter() + PAUSE_SECONDS
    while perf_counter() < until:
        pass
