"""The command of the records system: output and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.records.__main__ import app
from examples.records.data import generate, last_id
from examples.records.operations.registers import read_register
from examples.records.registers import Record
from pksk.cli.app import run_command


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "records.db"
    assert run_command(app, "records", ["--target", str(path), "load", "--items", "400"]) == 0
    return path


def run(capsys: pytest.CaptureFixture[str], target: Path | str, *args: str) -> tuple[int, str, str]:
    code = run_command(app, "records", ["--target", str(target), *args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def _new_post(target: Path, capsys: pytest.CaptureFixture[str]) -> str:
    collection = run(capsys, target, "collections")[1].splitlines()[1].split()[0]
    return run(capsys, target, "add-post", collection, "A new post")[1].split()[1]


def test_places_are_completed_and_understood(target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, target, "complete", "alab", "--most", "1")
    assert (code, "Alabama, United States" in out) == (0, True)

    code, out, _ = run(capsys, target, "place", "Ala., U.S.A.", "Atlantis")
    assert code == 0
    assert out.splitlines()[1:] == [
        "Ala., U.S.A.  Alabama, United States",
        "Atlantis      nowhere                 Atlantis",
    ]


def test_a_register_is_imported_and_shown(
    target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    register = tmp_path / "register.csv"
    register.write_text("given,surname,household\nAnn,Example,1\nBob,Example,1\n", "utf-8")
    collection = run(capsys, target, "collections")[1].splitlines()[1].split()[0]

    code, out, _ = run(capsys, target, "add-post", collection, "Births 1850")
    post = out.split()[1]
    assert (code, int(post) > last_id(400)) == (0, True)
    assert f"{post}  Births 1850" in run(capsys, target, "posts", collection)[1]
    assert run(capsys, target, "import", post, str(register))[:2] == (
        0,
        f"2 records imported into post {post}\n",
    )
    assert "given Ann, surname Example, household 1" in run(capsys, target, "records", post)[1]
    assert run(capsys, target, "drop-post", post)[:2] == (0, "2 records dropped\n")
    assert run(capsys, target, "drop-post", post) == (1, "", f"Error: There is no post {post}.\n")


def test_signing_in_twice_is_the_same_user(target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = run(capsys, target, "sign-in", "https://a.org", "ann", "--email", "ann@example.org")

    assert run(capsys, target, "sign-in", "https://a.org", "ann") == first
    assert "ann@example.org" in first[1]


def test_categories_are_listed_by_name(target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [line.split()[1] for line in run(capsys, target, "categories")[1].splitlines()[1:]]

    assert names == sorted(names)
    assert len(names) == 10


@pytest.mark.parametrize(
    "args",
    [
        ["complete"],
        ["place"],
        ["posts", "one"],
        ["records"],
        ["record"],
        ["import", "1", "missing.csv"],
        ["complet", "ab"],
    ],
)
def test_wrong_arguments_print_the_usage(
    args: list[str], target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, target, *args)

    assert (code, out) == (2, "")
    assert err.startswith("Usage: ")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "register.csv is empty"),
        ("\n\n", "register.csv is empty"),
        ("given,surname\n", "has no lines below"),
        ("given,given\nAnn,Bob\n", "more than one column has the name 'given'"),
        ("given,,born\nAnn,x,1850\n", "column 2 has no name"),
        (
            "given,surname\nAnn,Example\nBob\n",
            "line 3 does not have one value per column: values 1, columns 2",
        ),
        (
            "given,surname\n\nAnn,Example,1850\n",
            "line 3 does not have one value per column: values 3, columns 2",
        ),
        ('given\n"Ann\nBob\n', "this is not CSV"),
        (
            "given;surname\nAnn;Example\n",
            "line 1 has one column, 'given;surname': are columns separated by ';'?",
        ),
        ("given\tsurname\nAnn\tExample\n", "are columns separated by '\\t'?"),
        ("given, ,born\nAnn,x,1850\n", "column 2 has no name"),
        ("given,surname\nAnn,Example\nBob,Exam\0ple\n", "line 3, column 'surname' has the character NUL"),
        ("given,sur\0name\nAnn,Example\n", "the name of column 2 has the character NUL"),
        ("given,surname\nAnn,Example\n,\n", "line 3 has no value in any column"),
        ("given,surname\n , \nAnn,Example\n", "line 2 has no value in any column"),
    ],
)
def test_a_file_that_cannot_be_imported_completely_is_rejected(
    text: str, reason: str, target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    register = tmp_path / "register.csv"
    register.write_text(text, "utf-8")
    post = _new_post(target, capsys)

    code, out, err = run(capsys, target, "import", post, str(register))

    assert (code, out) == (2, "")
    assert reason in " ".join(err.split())
    assert run(capsys, target, "drop-post", post)[1] == "0 records dropped\n"


def test_a_quoted_value_may_have_line_breaks_and_empty_values_are_left_out(
    target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    register = tmp_path / "register.csv"
    register.write_text('\ufeffgiven,note,born\n"Ann","of, the\nmill",\n\nBob,,1850\n', "utf-8")

    assert read_register(register) == [
        {"given": "Ann", "note": "of, the\nmill"},
        {"given": "Bob", "born": "1850"},
    ]


@pytest.mark.parametrize("empty", ["", "  "])
@pytest.mark.parametrize(
    "words",
    [
        ["add-post", "1", "?"],
        ["sign-in", "?", "ann"],
        ["sign-in", "https://a.org", "?"],
        ["complete", "?"],
        ["place", "Ala.", "?"],
    ],
)
def test_an_empty_argument_is_a_usage_error(
    target: Path, words: list[str], empty: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, target, *(empty if word == "?" else word for word in words))

    assert (code, out) == (2, "")
    assert err.startswith("Usage: ")
    assert "it is empty. Fix: write at least one letter or digit." in err


def test_records_are_shown_by_their_ids(target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = [each for each in generate(400) if isinstance(each, Record)][:2]

    code, out, _ = run(capsys, target, "record", str(two.id), str(one.id))

    assert code == 0
    assert [line.split(":")[0] for line in out.splitlines()] == [str(two.id), str(one.id)]
    assert run(capsys, target, "record", str(one.id), "99999") == (
        1,
        "",
        "Error: There is no record 99999.\n",
    )


def test_the_records_of_a_missing_post_are_an_error(target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, target, "records", "99999") == (1, "", "Error: There is no post 99999.\n")
    assert run(capsys, target, "records", _new_post(target, capsys)) == (0, "", "")


def test_a_binary_file_is_rejected(target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    register = tmp_path / "register.csv"
    register.write_bytes(b"given\n\xff\xfe\n")

    code, _, err = run(capsys, target, "import", "1", str(register))

    assert code == 2
    assert "is not a CSV file in UTF-8" in err


def test_an_error_of_an_operation_is_one_line(target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, target, "complete", "a") == (
        1,
        "",
        "Error: 'a' is too short: places are found by 2 letters or more.\n",
    )


def test_an_unreachable_endpoint_is_reported_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "http://127.0.0.1:1", "categories")

    assert (code, out) == (2, "")
    assert "no connection" in err
    assert "Traceback" not in err
