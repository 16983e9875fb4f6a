"""Reads the explanations of error codes that come with the package."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

__all__ = ["explanations", "first_sentence"]

_HEADING = re.compile(r"^## (?P<code>\S+)[ \t]*$", re.MULTILINE)


@cache
def explanations() -> dict[str, str]:
    """The explanation of each code, in Markdown, by code.

    Example:
        >>> "key-empty" in explanations()
        True
    """
    folder = files("pksk") / "explanations"
    pages = [page.read_text("utf-8") for page in folder.iterdir() if page.name.endswith(".md")]
    found = [section for page in pages for section in _sections(page)]
    return dict(sorted(found))


def _sections(page: str) -> list[tuple[str, str]]:
    _, *pieces = _HEADING.split(page)
    return [(code, text.strip()) for code, text in zip(pieces[::2], pieces[1::2], strict=True)]


def first_sentence(explanation: str) -> str:
    r"""What an explanation says first, on one line.

    Example:
        >>> first_sentence("The key is empty. DynamoDB\nrefuses those.")
        'The key is empty.'
    """
    paragraph = " ".join(explanation.partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`'\"{])", paragraph, maxsplit=1)[0]
