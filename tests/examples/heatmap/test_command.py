"""The command of the heatmap: on a file, in memory, and its errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.heatmap.__main__ import app
from pksk import Engine
from pksk.cli.app import run_command
from pksk.server import Server

LONDON = ("--south", "51.4", "--west", "-0.3", "--north", "51.6", "--east", "0.1")
ABINGDON = ("--lat", "51.6705", "--lng", "-1.2818")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("heatmap") / "heatmap.db"
    assert run_command(app, "heatmap", ["--target", str(made), "load", "--items", "300"]) == 0
    return made


def run(target: object, *args: str) -> int:
    return run_command(app, "heatmap", ["--target", str(target), *args])


def test_heat_and_live_show_the_loaded_data(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(file, "heat", *LONDON, "--most", "3") == 0
    heat = capsys.readouterr().out.splitlines()
    assert run(file, "live", *LONDON) == 0
    live = capsys.readouterr().out.splitlines()

    assert heat[0].split() == ["lat", "lng", "intensity"]
    assert len(heat) == 5
    assert "points in cells of length 6: 2 requests, 1 read units" in heat[-1]
    assert live[0].split() == ["cell", "at", "shown"]
    assert {line.split()[-1] for line in live[1:]} <= {"strong", "weak"}


def test_a_report_is_counted_and_then_repeated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "new.db"

    codes = [run(target, "report", *ABINGDON) for _ in range(2)]

    assert codes == [0, 0]
    assert capsys.readouterr().out.splitlines() == ["counted in gcpjfy6d", "repeated in gcpjfy6d"]
    assert run(target, "report", "--lat", "51.5", "--lng", "-0.12") == 1
    assert "try again in 900 seconds" in capsys.readouterr().err
    evening = ("--at", "2045-09-20T22:00")
    assert run(target, "report", *ABINGDON, *evening, "--by-address") == 1
    assert "2045-09-20 22:00:00+00:00 has not come yet" in capsys.readouterr().err
    assert run(target, "report", *ABINGDON, *evening, "--now", evening[1], "--by-address") == 0
    assert run(target, "report", *ABINGDON, "--from", "48.857", "2.352", "--sender", "b") == 1


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("report", *ABINGDON, "--at", "9999-12-31T23:59"), "Fix: give a year from 1970 to 9998."),
        (("report", *ABINGDON, "--at", "1969-01-01"), "1969-01-01T00:00 is out of range."),
        (("live", *LONDON, "--at", "0001-01-01"), "Fix: give a year from 1970 to 9998."),
        (("measure", "--share", "nan"), "nan is not in the range"),
        (("ways", *ABINGDON, "--zoom", "18", "--share", "nan"), "nan is not in the range"),
    ],
)
def test_a_number_out_of_range_is_a_usage_error(
    file: Path, words: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(file, *words) == 2
    assert text in capsys.readouterr().err


def test_ways_and_measure_show_five_methods(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(file, "ways", "--lat", "51.507", "--lng", "-0.128", "--zoom", "18") == 0
    assert run("memory:", "measure", "--share", "0.01", "--zoom", "19") == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["zoom", *["18"] * 5, "zoom", *["19"] * 5]


def test_layout_shows_children_as_on_the_map(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("memory:", "layout", "gc") == 0

    assert capsys.readouterr().out.splitlines()[0] == "gcb gcc gcf gcg gcu gcv gcy gcz"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("heat", "--south", "51"), "Missing option '--west'"),
        (("heat", *LONDON, "--zoom", "25"), "0<=x<=24"),
        (("report", *ABINGDON, "--at", "yesterday"), "yesterday"),
        (("live", "--south", "-90", "--west", "-180", "--north", "90", "--east", "180"), "smaller view"),
        (("load", "--items", "1"), "1"),
        (("heats",), "heats"),
        (("report", *ABINGDON, "--sender", ""), "Invalid value for '--sender': it is empty."),
        (("report", *ABINGDON, "--sender", " "), "it is empty."),
        (("report", *ABINGDON, "--sender", "9" * 3000), "Invalid value for '--sender'"),
        (("measure", "--share", "0.001"), "'measure' runs in memory, and not on"),
    ],
)
def test_wrong_arguments_print_the_usage(
    args: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(tmp_path / "none.db", *args) == 2

    err = capsys.readouterr().err
    assert err.startswith("Usage: ")
    assert message in err
    if args[0] == "report":
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("report", "--lat", "139.7", "--lng", "35.7"), "did you swap latitude and longitude?"),
        (("layout", "GCP"), "Fix: write 'gcp'."),
        (("report", "--lat", "nan", "--lng", "0"), "Latitude nan and longitude 0.0 are not a position"),
        (("report", *ABINGDON, "--from", "inf", "0"), "Latitude inf and longitude 0.0 are not a position"),
        (("heat", "--south", "139", "--west", "35", "--north", "140", "--east", "36"), "did you swap"),
    ],
)
def test_positions_that_do_not_exist_are_reported_and_create_no_file(
    args: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(tmp_path / "none.db", *args) == 2

    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_too_many_markers_are_rejected_and_too_many_cells_drawn_from_larger_ones(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = ("--south", "-90", "--west", "-180", "--north", "90", "--east", "180")

    assert run(file, "live", *world) == 2
    live = capsys.readouterr().err
    assert run(file, "heat", *world, "--zoom", "18") == 0
    heat = capsys.readouterr().out

    assert live.endswith("Fix: take a smaller view.\n")
    assert "points in cells of length" in heat


@pytest.mark.parametrize("more", [("--from", "48.857", "2.352"), ("--at", "2046-01-01")])
def test_a_rejected_report_creates_no_file(tmp_path: Path, more: tuple[str, ...]) -> None:
    assert run(tmp_path / "none.db", "report", *ABINGDON, *more) == 1

    assert list(tmp_path.iterdir()) == []


def test_an_unreachable_endpoint_is_reported_without_a_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("http://127.0.0.1:9", "heat", *LONDON) == 2

    assert "no connection" in capsys.readouterr().err


def test_a_file_without_data_raises(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "empty.db", "heat", *LONDON) == 1

    assert "nothing was loaded into it" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_everything_runs_over_http(capsys: pytest.CaptureFixture[str]) -> None:
    with Engine.open() as engine, Server(engine) as server:
        codes = [
            run(server.url, "load", "--items", "100"),
            run(server.url, "report", *ABINGDON),
            run(server.url, "heat", *LONDON),
            run(server.url, "live", *LONDON),
        ]

    assert codes == [0, 0, 0, 0]
    assert "counted in gcpjfy6d" in capsys.readouterr().out
