"""Tells text that DynamoDB can store from text that it cannot."""

from __future__ import annotations

__all__ = ["is_utf8"]


def is_utf8(text: str) -> bool:
    r"""Whether the text can be stored; half of a surrogate pair cannot.

    Example:
        >>> is_utf8("é"), is_utf8("\ud800")
        (True, False)
    """
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
