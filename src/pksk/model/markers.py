"""What an author says about a field beside its type."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Attribute"]


@dataclass(frozen=True, slots=True)
class Attribute:
    """The name under which a field is stored.

    Example:
        >>> from typing import Annotated
        >>> Annotated[str, Attribute("globalId")].__metadata__
        (Attribute(name='globalId'),)
    """

    name: str
