"""The command `pksk serve`: its start, its end, and invalid options."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from pksk.cli.explain import explanations
from pksk.cli.serve import serve
from pksk.engine import Engine
from tests.cli.run_pksk import SOURCE, pksk, pksk_process, process_environment, terminal_output
from tests.server.certificates import certificate
from tests.server.raw_http import call
from tests.server.test_connections import TABLE

CODES = re.findall(r"^## (\S+)", (SOURCE / "pksk/explanations/server.md").read_text("utf-8"), re.M)


@contextmanager
def serving(*options: str, log: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """The process, and the line that it prints for programs."""
    with (
        log.open("w") as file,
        subprocess.Popen(
            [sys.executable, "-m", "pksk", "serve", "--port", "0", "--json", *options],
            stdout=subprocess.PIPE,
            stderr=file,
            env=process_environment(),
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def events(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_a_signal_and_closes_its_file(
    tmp_path: Path, log: Path, ending: signal.Signals
) -> None:
    data = str(tmp_path / "shop.db")
    with serving("--data", data, "--region", "eu-west-1", "--log-requests", log=log) as (process, ready):
        with urlopen(ready["url"]) as page:
            assert page.read() == b"healthy: dynamodb.eu-west-1.amazonaws.com "
        port = int(ready["url"].rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(call("CreateTable", json.dumps(TABLE).encode()))
            assert client.recv(100).startswith(b"HTTP/1.1 200")
            process.send_signal(ending)
            assert process.wait(20) == 0

    assert ready == {
        "url": ready["url"],
        "pid": process.pid,
        "data": data,
        "region": "eu-west-1",
        "signed": False,
    }
    assert [each["event"] for each in events(log)] == ["started", "request", "stopping", "stopped"]
    assert events(log)[1]["operation"] == "CreateTable"
    assert events(log)[2]["signal"] == ending.name
    assert not os.path.exists(f"{data}-wal")
    with Engine.open(data) as engine:
        assert engine.call("ListTables", {}) == {"TableNames": ["orders"]}


def test_a_trace_has_the_calls_until_the_signal(tmp_path: Path, log: Path) -> None:
    trace = tmp_path / "calls.jsonl"
    with serving("--trace", str(trace), log=log) as (process, ready):
        with socket.create_connection(("127.0.0.1", int(ready["url"].rpartition(":")[2]))) as client:
            for operation, body in (("CreateTable", TABLE), ("Scan", {"TableName": "orders"})):
                client.sendall(call(operation, json.dumps(body).encode()))
                assert client.recv(10_000).startswith(b"HTTP/1.1 200")
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0

    assert [json.loads(line)["op"] for line in trace.read_text().splitlines()] == ["Trace", "Scan"]


@pytest.mark.skipif(os.name == "nt", reason="Windows starts no process with a closed stream")
@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-"])
def test_it_serves_where_standard_error_is_closed(closed: str) -> None:
    command = f"exec {shlex.quote(sys.executable)} -m pksk serve --port 0 --json {closed}"
    with subprocess.Popen(
        ["sh", "-c", command], stdout=subprocess.PIPE, env=process_environment(), text=True
    ) as process:
        assert process.stdout is not None
        try:
            with urlopen(f"{json.loads(process.stdout.readline())['url']}/health") as answer:
                assert answer.status == 200
            process.terminate()
            assert process.wait(20) == 0
        finally:
            process.kill()


def test_a_second_signal_ends_it_at_once(tmp_path: Path, log: Path) -> None:
    with serving(log=log) as (process, ready):
        port = int(ready["url"].rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.sendall(b"GET / HTTP/1.1\r\nAccept: text/html\r\n\r\n" * 8000)
            with urlopen(ready["url"]):
                process.send_signal(signal.SIGTERM)
            while len(events(log)) < 2:  # until it has begun to stop, and waits for this client
                assert process.poll() is None
            process.send_signal(signal.SIGTERM)

            assert process.wait(20) == -signal.SIGTERM


@pytest.mark.parametrize("example", [each for each in serve.examples if "--check" not in each])
def test_every_example_in_help_serves_and_prints_its_url_as_json_in_a_pipe(
    example: str, tmp_path: Path, log: Path
) -> None:
    cert, key = certificate(tmp_path)
    cert.write_bytes(cert.read_bytes() + key.read_bytes())
    (tmp_path / "keys.ini").write_text("[me]\naws_access_key_id = A\naws_secret_access_key = a\n")
    arguments = [*shlex.split(example)[1:], "--port", "0"]  # the last one counts
    with (
        log.open("w") as file,
        subprocess.Popen(
            [sys.executable, "-m", "pksk", *arguments],
            stdout=subprocess.PIPE,
            stderr=file,
            env=process_environment(),
            cwd=tmp_path,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        process.terminate()
        rest = process.stdout.read()

    assert (process.returncode, rest) == (0, "")
    assert ready["url"].startswith("https" if "--cert" in example else "http:")
    assert (ready["data"] == ":memory:") is ("--data" not in example)
    assert ready["signed"] is ("--credentials" in example)


# Python 3.12 and later warn of a fork where threads run; the child is replaced at once.
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize("options", [[], ["--json"]], ids=" ".join)
def test_a_terminal_gets_text_unless_it_asks_for_json(options: list[str]) -> None:
    import pty

    child, terminal = pty.fork()
    if child == 0:
        command = [sys.executable, "-m", "pksk", "serve", "--port", "0", *options]
        os.execve(sys.executable, command, process_environment())
    seen = b""
    while not any(last in seen for last in (b'"signed"', b"Press Ctrl-C to stop.")):
        seen += os.read(terminal, 1 << 16)
    os.kill(child, signal.SIGTERM)
    lines = (seen.decode() + terminal_output(child, terminal)).splitlines()

    if options:
        assert [json.loads(line).get("event") for line in lines] == ["started", None, "stopping", "stopped"]
        return
    assert re.fullmatch(r"\d\d:\d\d:\d\d  started  url=http://127\.0\.0\.1:\d+ data=memory", lines[0])
    assert re.fullmatch(r"Serving DynamoDB on http://127\.0\.0\.1:\d+", lines[1])
    assert "--data FILE" in lines[2]
    assert "any" in lines[3]
    assert re.fullmatch(r"\d\d:\d\d:\d\d  stopping  signal=SIGTERM", lines[7])


def test_a_file_in_use_by_another_server_is_rejected(tmp_path: Path, log: Path) -> None:
    data = str(tmp_path / "shop.db")
    with serving("--data", data, log=log) as (process, _):
        ran = pksk("serve", "--port", "0", "--data", data)
        process.terminate()
        process.wait(20)

    assert (ran.code, ran.out) == (2, "")
    assert str(process.pid) in ran.err
    assert ran.err.endswith("(pksk explain storage-in-use)\n")


@pytest.mark.parametrize(
    ("options", "explained"),
    [
        (["--data", "."], "storage-is-folder"),
        (["--data", "none/shop.db"], "storage-folder-missing"),
        (["--data", "notes.txt"], "storage-not-sqlite"),
        (["--credentials", "none"], "credentials-file"),
        (["--cert", "none"], "server-certificate"),
        (["--region", "nowhere"], "engine-setting"),
        (["--account", "7"], "engine-setting"),
        (["--host", "192.0.2.1"], "server-needs-credentials"),
        (["--cors", "app.example"], "server-origin"),
        (["--cors", "https://app.example/"], "server-origin"),
        (["--cors", "https://a.example,https://b.example"], "server-origin"),
        (["--cors", ""], "server-origin"),
    ],
    ids=lambda each: each[1] if isinstance(each, list) else "",
)
def test_invalid_options_are_rejected(
    options: list[str], explained: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("milk and bread " * 100)
    ran = pksk("serve", "--port", "0", *options)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith(f"(pksk explain {explained})\n")


@pytest.mark.parametrize("code", CODES)
def test_every_example_raises_the_error_it_explains(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("milk and bread")
    Path("key.pem").write_text("a key")
    [example] = re.findall(r"^    (.*)$", explanations()[code], re.M)
    if without := re.fullmatch(r'without\("(\w+)", "(.*)"\)', example):
        ran = pksk_process(
            *shlex.split(without[2])[1:], before=f"import sys; sys.modules[{without[1]!r}] = None"
        )
    else:
        ran = pksk(*shlex.split(example)[1:])

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith(f"(pksk explain {code})\n")
    assert re.search(r"^Fix: ", explanations()[code], re.M)


def test_it_starts_without_unneeded_imports(log: Path) -> None:
    ran = pksk_process(
        "serve", "--port", "0", "--host", "192.0.2.1",
        before="import atexit, sys; atexit.register(lambda: print(*sorted(set(sys.modules) & "
        "{'pydantic', 'rich', 'numpy', 'boto3', 'sqlite3', 'pksk.model', 'pksk.keys', 'pksk.transfer'})))",
    )  # fmt: skip

    assert ran.out == "\n"


def test_checking_a_sound_file_reports_that_it_is_sound(tmp_path: Path) -> None:
    data = _file(tmp_path)
    text, document = pksk("serve", "--check", data), pksk("serve", "--check", data, "--json")

    assert (text.code, text.err) == (0, "")
    assert f"{data} is sound: " in text.out
    assert "1 items" in text.out
    parts = json.loads(document.out)
    assert (document.code, parts["sound"], parts["problems"], parts["verified"]["items"]) == (0, True, [], 1)


def test_checking_a_damaged_file_lists_its_problems(tmp_path: Path) -> None:
    data = _file(tmp_path)
    connection = sqlite3.connect(data)
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for name in names:
        if any(column[1] == "size" for column in connection.execute(f"PRAGMA table_info({name})")):
            connection.execute(f"UPDATE {name} SET size = size + 1")
    connection.commit()
    connection.close()
    text, document = pksk("serve", "--check", data), pksk("serve", "--check", data, "--json")

    assert (text.code, document.code) == (1, 1)
    assert "its stored size is" in text.out
    assert json.loads(document.out)["problems_found"] >= 1


def test_checking_a_missing_file_does_not_create_it(tmp_path: Path) -> None:
    ran = pksk("serve", "--check", str(tmp_path / "none.db"))

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("(pksk explain file-missing)\n")
    assert list(tmp_path.iterdir()) == []


def _file(folder: Path) -> str:
    data = str(folder / "shop.db")
    with Engine.open(data) as engine:
        engine.call("CreateTable", TABLE)
        engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "7"}}})
    return data
