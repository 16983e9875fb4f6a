"""Writes a design as an entity diagram of Mermaid."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pksk.cli.design_rows import pattern_name, settings, summary

# In a diagram, a character can be written as # and a number and ;. So ; is escaped too, as are ~, which makes
# a generic type, ", which ends the text, and %%{, which begins a directive.
_CODES = {'"': "#quot;", ";": "#59;", "~": "#126;", "<": "#lt;", ">": "#gt;", "`": "#96;"}
_NOT_IN_WORD = re.compile(r"[^A-Za-z0-9_\u00C0-\uFFFF\[\]().]+")
_LETTER = re.compile(r"[A-Za-z\u00C0-\uFFFF]")
_KEY_WORD = re.compile(r"(?i)([pfu]k)(?![A-Za-z0-9_])")


def design_mermaid(data: dict[str, Any]) -> str:
    """An `erDiagram`: each entity with its keys, indexes, fields and references."""
    names = _names(data)
    lines = ["erDiagram"]
    for table in data["tables"]:
        lines += _comments(
            [f"Table {table['name']}", *(f"  {label}: {text}" for label, text in settings(table))]
        )
        lines += [line for entity in table["entities"] for line in _entity(names, table, entity)]
    lines += [line for table in data["tables"] for line in _references(names, table)]
    lines += _comments([f"{pattern_name(each)}: {summary(each)}" for each in data["patterns"]])
    return "\n".join(lines)


def _comments(texts: list[str]) -> list[str]:
    return [f"    %% {' '.join(text.splitlines())}" for text in texts]


def _names(data: dict[str, Any]) -> dict[tuple[str, str], str]:
    """The name of each entity in the diagram, with its table if two entities have the same name."""
    pairs = [(table["name"], entity["name"]) for table in data["tables"] for entity in table["entities"]]
    counts = Counter(name for _, name in pairs)
    return {
        (table, name): _entity_name(name if counts[name] == 1 else f"{name} in {table}")
        for table, name in pairs
    }


def _entity_name(name: str) -> str:
    plain = re.sub(r'["%\\`\x00-\x1f\x7f]', "_", name)
    return f'"{plain}"'


def _entity(
    names: dict[tuple[str, str], str], table: dict[str, Any], entity: dict[str, Any]
) -> Iterator[str]:
    yield f"    {names[table['name'], entity['name']]} {{"
    yield from (f"        {_key(key)}" for key in entity["keys"])
    primary = {name for key in entity["keys"] if key["index"] is None for name in key["fields"]}
    yield from (f"        {_field(field, primary)}" for field in entity["fields"])
    yield "    }"


def _key(key: dict[str, Any]) -> str:
    parts = ", ".join(f"{part['attribute']} = {part['template']}" for part in key["partition"] + key["sort"])
    if key["index"] is None:
        return f"key {_word(key['name'])} {_comment(parts)}"
    return f"index {_word(key['name'])} {_comment(': '.join(filter(None, (key['index'], parts))))}"


def _field(field: dict[str, Any], primary: set[str]) -> str:
    # A value that is unique only within others is not a key by itself.
    markers = {marker["marker"] for marker in field["markers"] if "within" not in marker}
    roles = {"PK": field["name"] in primary, "FK": "Reference" in markers, "UK": "Unique" in markers}
    notes = [f"stored as {field['attribute']}"] if field["attribute"] != field["name"] else []
    notes += ["computed"] if field["computed"] else []
    words = [
        _word(field["type"].replace(" | ", "-or-")),
        _word(field["name"]),
        ", ".join(role for role, holds in roles.items() if holds),
        _comment(", ".join(notes)) if notes else "",
    ]
    return " ".join(filter(None, words))


def _references(names: dict[tuple[str, str], str], table: dict[str, Any]) -> Iterator[str]:
    """A line for each reference, many to one."""
    for entity in table["entities"]:
        here = names[table["name"], entity["name"]]
        for field in entity["fields"]:
            for marker in field["markers"]:
                if "entity" in marker:
                    end = "||" if field["required"] else "o|"
                    there = names.get((marker["table"], marker["entity"]), _entity_name(marker["entity"]))
                    yield f"    {here} }}o--{end} {there} : {_comment(field['name'])}"


def _word(text: str) -> str:
    """A type or a name as one word of the grammar, in which PK, FK and UK are keywords in any case."""
    word = _NOT_IN_WORD.sub("-", text.replace("'", "").replace('"', "")).strip("-")
    if not _LETTER.match(word):
        word = f"x{word}"
    return _KEY_WORD.sub(r"\1_", word, count=1) if _KEY_WORD.match(word) else word


def _comment(text: str) -> str:
    """A text in quotes, with codes for the special characters."""
    coded = "".join(_CODES.get(character, character) for character in text if character.isprintable())
    return '"' + coded.replace("%%", "%#37;") + '"'
