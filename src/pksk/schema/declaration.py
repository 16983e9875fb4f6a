"""How a declaration is printed: as the Python that makes it, without what is the default."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["declaration"]


def declaration(kind: str, *arguments: object, defaults: Mapping[str, object], **options: object) -> str:
    """The call as text; options that equal their default are left out.

    Example:
        >>> declaration("GSI", "by-day", defaults={"sk": None}, pk="day", sk=None)
        "GSI('by-day', pk='day')"
    """
    told = {
        option: value
        for option, value in options.items()
        if option not in defaults or value != defaults[option]
    }
    named = (f"{option}={value!r}" for option, value in told.items())
    return f"{kind}({', '.join([*map(repr, arguments), *named])})"
