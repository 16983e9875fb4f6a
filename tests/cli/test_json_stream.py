"""JSON that comes in pieces."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.cli.json_stream import JsonStream
from pksk.errors import FileError

scalars = st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.text(), values, max_size=4)


def _read(text: str, piece: int = 1 << 20) -> list[tuple[int, Any]]:
    return list(JsonStream("f", iter([text[at : at + piece] for at in range(0, len(text), piece)])))


@given(st.lists(objects, max_size=5), st.integers(1, 40), st.sampled_from([None, 2]), st.booleans())
def test_items_are_the_same_however_the_text_is_cut(
    items: list[dict[str, Any]], piece: int, indent: int | None, ascii_only: bool
) -> None:
    texts = [json.dumps(item, indent=indent, ensure_ascii=ascii_only) for item in items]

    assert [value for _, value in _read("\n".join(texts), piece)] == items
    assert [value for _, value in _read("[" + " , ".join(texts) + "]\n", piece)] == items


@given(st.lists(objects, max_size=5), st.integers(1, 40))
def test_the_line_number_of_an_item_is_that_of_its_beginning(items: list[dict[str, Any]], piece: int) -> None:
    text = "".join(json.dumps(item) + "\n\n" for item in items)

    assert [line for line, _ in _read(text, piece)] == [1 + 2 * index for index in range(len(items))]


def test_fractions_are_decimals_and_never_floats() -> None:
    assert _read('{"p": 1.10}') == [(1, {"p": Decimal("1.10")})]


@pytest.mark.parametrize("piece", [1, 3, 1 << 20])
@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"a": 1}\n{"a": 1,}\n', 2, "}'"),  # Python 3.13 shows the comma before it, too
        ('{"a": 1}\n{"a": ', 2, "the file ends there"),
        ('{"a": "x', 1, "unterminated string"),
        ('{"a": NaN}', 1, "NaN"),
        ('[{"a": 1}\n{"a": 2}]', 2, "has no comma"),
        ('[{"a": 1},\n]', 2, "an item is missing"),
        ('[{"a": 1}', 1, "does not end"),
        ('{"a": 1},\n{"a": 2}', 1, "','"),
        ("\n\nhello", 3, "'hello'"),
    ],
)
def test_the_error_about_invalid_json_has_its_line(text: str, line: int, message: str, piece: int) -> None:
    with pytest.raises(FileError) as raised:
        _read(text, piece)

    assert raised.value.code == "file-json"
    assert raised.value.problem.startswith(f"f, line {line}: ")
    assert piece == 1 or message in raised.value.problem


def test_a_repeated_name_is_an_error() -> None:
    with pytest.raises(FileError, match="names 'a' twice"):
        _read('{"a": 1, "b": {"a": 1}, "a": 2}')


def test_endless_nesting_is_rejected() -> None:
    with pytest.raises(FileError, match="nested too deeply"):
        _read('{"a": ' + "[" * 200_000)


def test_an_endless_value_is_rejected_before_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pksk.cli.json_stream.MAX_CHARACTERS", 1000)

    with pytest.raises(FileError) as raised:
        list(JsonStream("f", iter(['{"a": "', *["x" * 100] * 50])))

    assert raised.value.code == "file-endless"
