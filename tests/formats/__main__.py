"""`python -m tests.formats NAME ...`: writes the golden files of formats anew, before their version is released."""

from __future__ import annotations

import shutil
import sys

import orjson

from .golden_files import GOLDEN, VERSIONS
from .stored import WRITERS, exported


def refresh(name: str) -> None:
    """Write the golden file of the current version of a format."""
    path = GOLDEN / f"{name}.{VERSIONS[name]}"
    if name == "exports":
        shutil.rmtree(path, ignore_errors=True)
        exported(path)
        return
    text = orjson.dumps(WRITERS[name](), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    path.with_name(f"{path.name}.json").write_bytes(text)


if __name__ == "__main__":
    for each in sys.argv[1:] or VERSIONS:
        refresh(each)
