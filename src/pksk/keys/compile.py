"""Compiles a template into two functions that do only what they must: render a key, and match one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pksk.errors import InvalidValue
from pksk.keys.matching import match_interpreted
from pksk.keys.rendering import render_interpreted

if TYPE_CHECKING:
    from pksk.keys.template import Template

__all__ = ["compile_match", "compile_render"]

Render = Callable[[Mapping[str, Any]], str]
Match = Callable[[str], dict[str, Any] | None]


def compile_render(template: Template) -> tuple[Render, str]:
    """A function from values to key, and its source.

    The common case is one f-string behind checks of type and content. Whatever does not pass them, an error
    included, goes the long way, which says what is wrong; so the two can never disagree on what is allowed.
    """
    names: dict[str, object] = {
        "interpreted": lambda values: render_interpreted(template, values),
        "fits": lambda key: _fits(key, template.limit),
        "InvalidValue": InvalidValue,
    }
    source = "\n".join(_render_lines(template, names))
    return _made("render", source, names), source


def _render_lines(template: Template, names: dict[str, object]) -> list[str]:
    variables = [f"v{index}" for index in range(len(template.parts))]
    guards, prepares, pieces = [], [], [_braced(template.literals[0])]
    for part, variable, after in zip(template.parts, variables, template.literals[1:], strict=True):
        fast = part.fast(variable)
        guards.append(fast.guard)
        prepares.append(fast.prepare)
        pieces += [fast.piece, _braced(after)]
        names.update(fast.names)
    checks = " and ".join(guard for guard in guards if guard != "True") or "True"
    empty = "" if template.least_bytes else "key and "
    return [
        "def render(values):",
        "    try:",
        *(
            f"        {name} = values[{part.field!r}]"
            for name, part in zip(variables, template.parts, strict=True)
        ),
        f"        if {checks}:",
        *(f"            {prepare}" for prepare in prepares if prepare),
        f"            key = f{''.join(pieces)!r}",
        f"            if {empty}(len(key) <= {template.limit} if key.isascii() else fits(key)):",
        "                return key",
        "    except (KeyError, TypeError, InvalidValue):",
        "        pass",
        "    return interpreted(values)",
    ]


def _braced(literal: str) -> str:
    return literal.replace("{", "{{").replace("}", "}}")


def compile_match(template: Template) -> tuple[Match, str]:
    """A function from key to values, and its source; None is no match."""
    pattern = template.pattern
    names: dict[str, object] = {
        "fullmatch": pattern.fullmatch,
        "interpreted": lambda key: match_interpreted(template, key),
        "fits": lambda key: _fits(key, template.limit),
    }
    simple = template.parts and len(template.fields) == len(template.parts)
    if not simple or any(part.lossy for part in template.parts):
        return names["interpreted"], ""  # type: ignore[return-value]
    source = "\n".join(_match_lines(template, names))
    return _made("match", source, names), source


def _match_lines(template: Template, names: dict[str, object]) -> list[str]:
    variables = [f"g{index}" for index in range(len(template.parts))]
    entries = []
    for part, variable in zip(template.parts, variables, strict=True):
        fast = part.fast_decode(variable)
        names.update(fast.names)
        entries.append(f"{part.field!r}: {fast.piece}")
    return [
        "def match(key):",
        "    try:",
        "        found = fullmatch(key)",
        f"        if found is None or not key or not (len(key) <= {template.limit} if key.isascii() else fits(key)):",
        "            return None",
        f"        {', '.join(variables)}{',' if len(variables) == 1 else ''} = found.groups()",
        f"        return {{{', '.join(entries)}}}",
        "    except ValueError:",
        "        return None",
        "    except TypeError:",
        "        return interpreted(key)",
    ]


def _fits(key: str, limit: int) -> bool:
    try:
        return len(key.encode()) <= limit
    except UnicodeEncodeError:
        return False


def _made(name: str, source: str, names: dict[str, object]) -> Any:
    exec(compile(source, f"<pksk {name}>", "exec"), names)
    return names[name]


def pattern_of(template: Template) -> re.Pattern[str]:
    """One regular expression for the whole key, with a group for each part."""
    groups = [
        f"({part.pattern}){re.escape(after)}"
        for part, after in zip(template.parts, template.literals[1:], strict=True)
    ]
    return re.compile(re.escape(template.literals[0]) + "".join(groups), re.DOTALL)
