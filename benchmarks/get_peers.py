"""Gets what benchmarks run beside ours, each by the client of its registry, into the folder .peers.

Each is tried, whatever becomes of the others. Versions are those that docs/speed.md names, or later ones of their line.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.contestants import PEERS, ROOT, npm_platform


def main() -> int:
    """Print the state of each peer; 1 if one is missing."""
    PEERS.mkdir(exist_ok=True)
    got = {
        "dynalite": _npm("dynalite@4"),
        "dynoxide": _dynoxide(),
        "ministack": _venv("ministack", "ministack"),
        "moto server": _venv("moto", "moto[server,dynamodb]>=5.1"),
        "ExtendDB": _npm(f"@extenddb/{npm_platform()}"),
        "geohashr": _library("geohash", "geohashr>=1.7"),
        "pygeohash": _library("geohash", "pygeohash>=3.5"),
        "python-geohash": _library("geohash", "python-geohash>=0.9"),
    }
    for name, problem in got.items():
        print(f"{name}: {problem or 'there'}")
    return any(got.values())


def _npm(package: str) -> str:
    if not shutil.which("npm"):
        return "needs npm, which comes with node"
    # A package.json keeps npm in this folder, and lets it add packages.
    manifest = PEERS / "package.json"
    if not manifest.exists():
        manifest.write_text('{"private": true}\n')
    return _run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", PEERS, package)


def _dynoxide() -> str:
    """From source if cargo is installed, which takes some minutes; otherwise an older version from npm."""
    if not shutil.which("cargo"):
        return _npm(f"@dynoxide/{npm_platform()}")
    return _run(
        "cargo", "install", "--quiet", "--root", PEERS / "dynoxide", "dynoxide-rs", "--version", "^3.2"
    )


def _venv(name: str, package: str) -> str:
    folder = PEERS / name
    return _run(sys.executable, "-m", "venv", folder) or _run(
        folder / "bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install", package
    )


def _library(name: str, package: str) -> str:
    """A library that runs in the process of the benchmark, in a folder that only this one imports from."""
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install")
    return _run(*pip, "--upgrade", "--target", PEERS / name, package)


def _run(*command: str | Path) -> str:
    """What went wrong, or nothing."""
    print("  " + " ".join(str(part) for part in command), flush=True)
    done = subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL, check=False)
    return f"{Path(command[0]).name} failed" if done.returncode else ""


if __name__ == "__main__":
    sys.exit(main())
