"""The servers that are compared: the path of each, its command, and its durability."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.raw_http import ACCESS_KEY, REGION, SECRET_KEY

ROOT = Path(__file__).parent.parent
PEERS = ROOT / ".peers"

# What has become of a write when it is acknowledged. Peers are compared with equals.
MEMORY = "memory"
NO_SYNC = "file, no sync"
FULL_SYNC = "file, full sync"
OURS = "pksk"
ECHO = "bare echo"


@dataclass(frozen=True)
class Contestant:
    """One server and one way to start it. In its arguments and variables, {port} and {folder} are replaced."""

    name: str
    storage: str
    program: Path
    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    # Run to its end before the server is started, and not part of the time that the start takes.
    prepare: Sequence[str] = ()

    @property
    def there(self) -> bool:
        return self.program.exists()

    def command(self, port: int, folder: Path) -> list[str]:
        return _filled(self._launched(self.arguments), port, folder)

    def preparation(self, folder: Path) -> list[str]:
        return _filled(self._launched(self.prepare), 0, folder) if self.prepare else []

    def process_environment(self, port: int, folder: Path) -> dict[str, str]:
        """The environment of its process."""
        names, texts = list(self.environment), list(self.environment.values())
        variables = dict(zip(names, _filled(texts, port, folder), strict=True))
        keys = {
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_DEFAULT_REGION": REGION,
        }
        return {**os.environ, **keys, **variables}

    def _launched(self, arguments: Sequence[str]) -> list[str]:
        launcher = [shutil.which("node") or "node"] if self.program.suffix == ".js" else []
        return [*launcher, str(self.program), *arguments]


def contestants(storage: str) -> list[Contestant]:
    """Ours and all peers that store so, those that are not there too."""
    return [each for each in (*_ours(), *_peers()) if each.storage == storage]


def bare_echo() -> Contestant:
    """No database: the minimum cost of HTTP in Python."""
    return Contestant(ECHO, MEMORY, Path(sys.executable), ["-m", "benchmarks.bare_echo", "{port}"])


def not_there(storages: Sequence[str] = (MEMORY, NO_SYNC)) -> list[str]:
    """A sentence for each peer that is missing, with how to get it."""
    missing = [each for storage in storages for each in contestants(storage) if not each.there]
    names = dict.fromkeys(each.name for each in missing)
    return [f"{name} is not there; `make peers` gets it" for name in names]


def _ours() -> list[Contestant]:
    serve = ["-m", "pksk", "serve", "--port", "{port}", "--data"]
    python = Path(sys.executable)
    return [
        Contestant(OURS, MEMORY, python, [*serve, ":memory:"]),
        Contestant(OURS, NO_SYNC, python, [*serve, "{folder}/bench.db", "--no-sync"]),
        Contestant(OURS, FULL_SYNC, python, [*serve, "{folder}/bench.db"]),
    ]


def _peers() -> list[Contestant]:
    address = ["--host", "127.0.0.1", "--port", "{port}"]
    return [*_dynalite(address), *_dynoxide(address), *_python_peers(address), _extenddb()]


def _dynalite(address: Sequence[str]) -> list[Contestant]:
    program = PEERS / "node_modules/dynalite/cli.js"
    options = [*address, *(f"--{what}TableMs=0" for what in ("create", "delete", "update"))]
    return [
        Contestant("dynalite", MEMORY, program, options),
        # LevelDB, which writes to its log and does not wait for the disk.
        Contestant("dynalite", NO_SYNC, program, [*options, "--path", "{folder}/level"]),
    ]


def _dynoxide(address: Sequence[str]) -> list[Contestant]:
    """The one that cargo has built, or the older one of npm."""
    built = PEERS / "dynoxide/bin/dynoxide"
    older = PEERS / f"node_modules/@dynoxide/{npm_platform()}/dynoxide"
    program = older if older.exists() and not built.exists() else built
    options = ["serve", *address, "--log", "quiet"]
    return [
        Contestant("dynoxide", MEMORY, program, options),
        # SQLite in WAL mode with synchronous = NORMAL: a commit does not wait for the disk.
        Contestant("dynoxide", NO_SYNC, program, [*options, "--db-path", "{folder}/dynoxide.db"]),
    ]


def _python_peers(address: Sequence[str]) -> list[Contestant]:
    variables = {
        "GATEWAY_PORT": "{port}",
        "BIND_HOST": "127.0.0.1",
        "SERVICES": "dynamodb",
        "LOG_LEVEL": "ERROR",
    }
    return [
        Contestant("ministack", MEMORY, PEERS / "ministack/bin/ministack", [], variables),
        Contestant("moto server", MEMORY, PEERS / "moto/bin/moto_server", address),
    ]


def _extenddb() -> Contestant:
    program = PEERS / f"node_modules/@extenddb/{npm_platform()}/extenddb"
    options = ["--config", "{folder}/extenddb.toml"]
    serve = ["serve", *options, "--port", "{port}", "--foreground"]
    init = ["init", *options, "--sqlite-path", "{folder}/data.sqlite", "--bind-addr", "127.0.0.1"]
    # SQLite in WAL mode with synchronous = NORMAL too. It verifies signatures, which cannot be switched off.
    return Contestant("ExtendDB", NO_SYNC, program, serve, {"HOME": "{folder}"}, init)


def npm_platform() -> str:
    """This machine in the names of npm packages: linux-x64."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"{platform.system().lower()}-{machine}"


def _filled(texts: Sequence[str], port: int, folder: Path) -> list[str]:
    return [text.replace("{port}", str(port)).replace("{folder}", str(folder)) for text in texts]
