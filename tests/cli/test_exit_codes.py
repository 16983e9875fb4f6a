"""How the program ends: without its extras, without a reader, interrupted, or with a full disk."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from pksk.cli.output import as_json
from tests.cli.run_pksk import pksk_process, process_environment

START = [sys.executable, "-m", "pksk"]


@pytest.mark.parametrize("missing", [["click"], ["rich"], ["click", "rich"]])
def test_without_its_extras_pksk_names_the_fix(missing: list[str]) -> None:
    ran = pksk_process("--help", before=f"import sys; sys.modules.update(dict.fromkeys({missing!r}))")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f'The command line of pksk cannot import {" and ".join(missing)}.\nFix: pip install "pksk[cli]"\n'
    )


def test_without_its_extra_the_server_names_the_fix() -> None:
    ran = pksk_process("serve", "--port", "0", before="import sys; sys.modules['httptools'] = None")

    assert ran.code == 2
    assert 'Fix: pip install "pksk[server]".' in ran.err


def test_a_user_error_is_printed_without_a_traceback() -> None:
    ran = pksk_process("key", "render", "{a}{b}")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Template '{a}{b}': {a} and {b} are next to each other")


def test_python_runs_the_package() -> None:
    done = subprocess.run(
        [*START, "doc-id", "make", "a"], capture_output=True, env=process_environment(), check=False
    )

    assert (done.returncode, done.stdout) == (0, b"a\n")


def test_with_json_an_error_is_a_document() -> None:
    done = subprocess.run(
        [*START, "key", "match", "ORDER#{id}", "x", "--json"],
        capture_output=True,
        env=process_environment(),
        check=False,
    )

    assert (done.returncode, done.stdout) == (2, b"")
    assert json.loads(done.stderr)["error"]["code"] == "key-mismatch"


def test_a_closed_pipe_ends_it_quietly(tmp_path: Path) -> None:
    (tmp_path / "many.jsonl").write_text('{"a": 1}\n' * 20_000)
    command = [*START, "size", "--all", str(tmp_path / "many.jsonl")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=process_environment()
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        message = process.stderr.read()

    assert (process.returncode, message) == (128 + signal.SIGPIPE, b"")


def test_an_interrupt_ends_it_quietly() -> None:
    with subprocess.Popen(
        [*START, "size", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=process_environment(),
        # The program that starts the tests may ignore interrupts, as nohup does; a child inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"a": 1}\n' * 100_000)  # returns once most of it has been read
        process.stdin.flush()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, message = process.communicate()

    assert (process.returncode, out, message) == (128 + signal.SIGINT, b"", b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
def test_a_full_disk_is_reported() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*START, "explain"], stdout=full, stderr=subprocess.PIPE, env=process_environment(), check=False
        )

    assert (done.returncode, done.stderr) == (1, b"Error: No space left on device.\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows starts no process with a closed stream")
def test_a_closed_standard_output_is_not_an_error() -> None:
    command = f"exec {shlex.quote(sys.executable)} -m pksk doc-id make a >&-"
    done = subprocess.run(
        ["sh", "-c", command], stderr=subprocess.PIPE, env=process_environment(), check=False
    )

    assert (done.returncode, done.stderr) == (0, b"")


def test_a_command_imports_rich_only_for_a_terminal() -> None:
    code = (
        "import sys; from pksk.cli import main; main(['key', 'match', 'A#{x}', 'A#1']); "
        "main(['explain']); print('rich' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=process_environment(), check=True
    )

    assert done.stdout.splitlines()[-1] == b"False"


def test_the_version_is_printed_without_loading_templates() -> None:
    code = "import sys; from pksk.cli import main; main(['--version']); print('pksk.keys' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=process_environment(), check=True
    )

    assert done.stdout.splitlines()[-1] == b"False"


@pytest.mark.parametrize(
    "arguments", [["plan", "--json"], ["size", "--json", "--bogus"], ["--json", "nothing"]]
)
def test_with_json_a_usage_error_is_a_document(arguments: list[str]) -> None:
    ran = pksk_process(*arguments)

    assert (ran.code, ran.out) == (2, "")
    error = json.loads(ran.err)["error"]
    assert error["code"] is None
    assert error["problem"]
    assert error["expected"].startswith("Usage: pksk")


def test_a_usage_error_is_text_if_json_is_a_value() -> None:
    assert pksk_process("plan", "--", "--json").err.startswith("Usage: pksk plan")


FOREIGN = """
from pksk import Entity, Key, Table
shop = Table("shop")
class Größe(Entity, table=shop):
    id: str
    primary = Key("日#{id}#é", "😀")
"""


COMMANDS = [
    ["design", "foreign.py"],
    ["design", "foreign.py", "--format", "markdown"],
    ["design", "foreign.py", "--format", "mermaid"],
    ["key", "render", "日#{id}#😀", "id=é"],
    ["doc-id", "make", "日é😀"],
    ["size", "items.jsonl", "--all"],
]
# One process for all commands; a line of its own ends the output of each.
RUN_ALL = """
import json, sys
from pksk.cli import main
for arguments in json.loads(sys.argv[1]):
    assert main(arguments) == 0
    print("END", flush=True)
"""


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_character_that_the_output_lacks_is_written_as_its_escape(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "foreign.py").write_text(FOREIGN, "utf-8")
    (tmp_path / "items.jsonl").write_text('{"日é": "😀"}\n', "utf-8")
    environment = process_environment({"PYTHONIOENCODING": encoding})
    commands = [*COMMANDS, *([*command, "--json"] for command in COMMANDS)]

    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL, json.dumps(commands)],
        capture_output=True, env=environment, check=False, cwd=tmp_path,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, b"")
    # In ASCII, click writes UTF-8 all the same, and JSON has escapes.
    outputs = done.stdout.decode("utf-8" if encoding == "ascii" else encoding).split("END\n")
    assert len(outputs) == len(commands) + 1
    assert all(json.loads(output) is not None for output in outputs[len(COMMANDS) : -1])


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("ascii", '["\\u00e9", "\\u65e5"]'), ("cp1252", '["\\u00e9", "\\u65e5"]'), ("utf-8", '["é", "日"]')],
)
def test_json_has_escapes_only_if_the_output_lacks_a_character(
    encoding: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(BytesIO(), encoding=encoding))

    assert as_json(["é", "日"], indent=None) == text
