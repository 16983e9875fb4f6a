"""What commands of several systems take."""

from __future__ import annotations

import click

__all__ = ["text"]


def text(written: str) -> str:
    """An argument that names something: without the spaces around it, and not empty.

    Example:
        >>> text(" park_1 ")
        'park_1'
    """
    named = written.strip()
    if not named:
        raise click.BadParameter("it is empty. Fix: write at least one letter or digit.")
    return named
