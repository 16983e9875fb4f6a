"""CSV is read as AWS's import reads it."""

from __future__ import annotations

import csv
import gzip
from io import StringIO
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pksk import Engine
from pksk.errors import FileError, PkskError
from pksk.transfer import import_table
from pksk.transfer.csv_rows import DELIMITERS, read_csv
from pksk.transfer.item_file import LONGEST_LINE, ItemFile, Lines

from .tables import SHOP, scanned

KEYS = {"id": "S"}


def _imported(path: Path, content: str | bytes, name: str = "items.csv", **options: Any) -> list[Any]:
    (path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    engine = Engine.open()
    import_table(engine, path / name, "copy", **{"keys": KEYS, **options})
    return scanned(engine, "copy")


def _error_of(path: Path, content: str, **options: Any) -> PkskError:
    with pytest.raises(PkskError) as raised:
        _imported(path, content, **options)
    assert raised.value.expected
    assert raised.value.fix
    return raised.value


def test_the_example_of_the_aws_documentation_is_imported_as_documented(tmp_path: Path) -> None:
    text = 'id,value\n"""123""","Women\'s Full ""Length"" Dress"\n'

    assert _imported(tmp_path, text) == [
        {"id": {"S": '"123"'}, "value": {"S": 'Women\'s Full "Length" Dress'}}
    ]
    assert _error_of(tmp_path, 'id,value\n"123",Women\'s Full "Length" Dress\n').code == "import-csv"


def test_all_values_except_keys_are_strings(tmp_path: Path) -> None:
    text = "number,id,total\n1e2,AAE=,12.50\n"

    assert _imported(tmp_path, text, keys={"id": "B", "number": "N"}) == [
        {"id": {"B": "AAE="}, "number": {"N": "100"}, "total": {"S": "12.50"}}
    ]


def test_the_keys_of_indexes_have_their_types_too(tmp_path: Path) -> None:
    text = "pk,number,status,day\nann,1,open,2026\n"
    request = SHOP.create_request()
    for definition in request["AttributeDefinitions"]:
        if definition["AttributeName"] == "day":
            definition["AttributeType"] = "N"

    [item] = _imported(tmp_path, text, keys=None, create=request)
    assert item["day"] == {"N": "2026"}


def test_an_empty_column_is_left_out(tmp_path: Path) -> None:
    assert _imported(tmp_path, 'id,a,b\n1,,x\n2,"",\n') == [
        {"id": {"S": "1"}, "b": {"S": "x"}},
        {"id": {"S": "2"}},
    ]


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_each_delimiter_of_aws_separates_columns(tmp_path: Path, delimiter: str) -> None:
    text = f'id{delimiter}note\n1{delimiter}"a{delimiter}b"\n'

    assert _imported(tmp_path, text, delimiter=delimiter) == [
        {"id": {"S": "1"}, "note": {"S": f"a{delimiter}b"}}
    ]


def test_a_tsv_file_is_separated_by_tabs(tmp_path: Path) -> None:
    assert _imported(tmp_path, gzip.compress(b"id\tn\n1\t2\n"), "items.tsv.gz") == [
        {"id": {"S": "1"}, "n": {"S": "2"}}
    ]


def test_with_a_given_header_the_first_line_is_an_item(tmp_path: Path) -> None:
    assert _imported(tmp_path, "1,x\n2,y\n", header=["id", "n"]) == [
        {"id": {"S": "1"}, "n": {"S": "x"}},
        {"id": {"S": "2"}, "n": {"S": "y"}},
    ]


def test_a_quoted_value_can_span_several_lines(tmp_path: Path) -> None:
    assert _imported(tmp_path, 'id,note\n1,"a\nb"\n2,c\n') == [
        {"id": {"S": "1"}, "note": {"S": "a\nb"}},
        {"id": {"S": "2"}, "note": {"S": "c"}},
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,n\n1,2,3\n", "line 2: it has 3 columns, and the header has 2"),
        ("id,n\n1\n", "line 2: it has 1 columns, and the header has 2"),
        ('id,n\n1,a"b"\n', "line 2: column 2 has a double quote that is not written twice"),
        ('id,n\n"1"x,b\n', "line 2: column 1 has a double quote that is not written twice"),
        ('id,n\n1,"x\n2,y\n', "line 2: a double quote begins there and does not end"),
        ("id,\n1,2\n", "line 1: column 2 has no name"),
        ("id,id\n1,2\n", "line 1: two columns are called 'id'"),
        ("", "line 1: column 1 has no name"),
    ],
)
def test_the_error_about_invalid_csv_has_its_line(tmp_path: Path, text: str, message: str) -> None:
    error = _error_of(tmp_path, text)

    assert error.code == "import-csv"
    assert message in error.problem


@pytest.mark.parametrize(
    ("text", "code"), [("id,n\n,2\n", "import-item"), ("n\n2\n", "import-item"), ("id\nx\n", "file-item")]
)
def test_a_row_without_its_key_raises(tmp_path: Path, text: str, code: str) -> None:
    assert _error_of(tmp_path, text, keys={"id": "N"}).code == code


def test_the_line_number_of_an_error_counts_lines_and_not_rows(tmp_path: Path) -> None:
    assert "line 4: " in _error_of(tmp_path, 'id,n\n1,"a\nb"\n2\n').problem


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), min_size=1)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5, unique_by=lambda row: row[0]),
    delimiter=st.sampled_from(list(DELIMITERS)),
)
def test_csv_of_other_programs_is_read_unchanged(
    tmp_path: Path, rows: list[tuple[str, str]], delimiter: str
) -> None:
    text = StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "note"), *rows])
    items = _imported(tmp_path, text.getvalue(), delimiter=delimiter)

    assert sorted((item["id"]["S"], item["note"]["S"]) for item in items) == sorted(rows)


def test_the_error_about_a_quote_without_an_end_takes_time_in_proportion_to_the_file(tmp_path: Path) -> None:
    def seconds(lines: int) -> float:
        text = 'id,note\na,"x\n' + "b,plain\n" * lines
        taken = []
        for _ in range(3):
            began = process_time()
            error = _error_of(tmp_path, text)
            taken.append(process_time() - began)
            assert error.problem.endswith("line 2: a double quote begins there and does not end.")
        return min(taken)

    # In proportion it is 16 times; if each line copied those before it, it would be more than 150 times.
    assert seconds(160_000) / seconds(10_000) < 60


def test_a_quote_without_an_end_is_an_error_as_soon_as_no_item_is_as_long(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_bytes(b'id,note\na,"x\n' + (b"b" * (LONGEST_LINE // 4) + b"\n") * 12)
    lines = Lines(tmp_path / "items.csv")

    with pytest.raises(FileError, match="a double quote begins there and does not end"):
        list(read_csv(ItemFile(tmp_path / "items.csv", "csv"), lines, {}))

    assert lines.number == 2 + 4


def test_line_breaks_within_quotes_stay_as_they_are(tmp_path: Path) -> None:
    text = 'id,note\r\na,"one\r\ntwo\nthree\r"\r\nb,four\r\n'

    assert [item["note"]["S"] for item in _imported(tmp_path, text)] == ["one\r\ntwo\nthree\r", "four"]
