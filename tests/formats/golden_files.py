"""The golden files, and the versions of the formats."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import orjson

__all__ = ["GOLDEN", "VERSIONS", "golden", "golden_files"]

GOLDEN: Final = Path(__file__).parent / "golden"
# The version that is written. A change of a format raises it, and adds a golden file beside the older ones.
VERSIONS: Final = {
    "stored-values": 1,
    "keys": 1,
    "entities": 1,
    "guard-items": 1,
    "sequences": 1,
    "cursors": 1,
    "consumers": 1,
    "database-file": 1,
    "exports": 1,
    "unfinished-imports": 1,
    "traces": 1,
    "baselines": 1,
}
_NAME: Final = re.compile(r"(?P<name>[a-z-]+)\.(?P<version>[0-9]+)(\.json)?")


def golden_files() -> dict[tuple[str, int], Path]:
    """The golden files by format and version."""
    files = {}
    for path in sorted(GOLDEN.iterdir()):
        found = _NAME.fullmatch(path.name)
        assert found, f"{path.name} is not the name of a golden file, such as keys.1.json"
        files[found["name"], int(found["version"])] = path
    return files


def golden(name: str, version: int) -> Any:
    """The content of a golden file."""
    return orjson.loads((GOLDEN / f"{name}.{version}.json").read_bytes())
