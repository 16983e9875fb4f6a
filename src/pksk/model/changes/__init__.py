"""Stream records as typed changes: the entity, and its state before and after."""

from __future__ import annotations

from .change import Change
from .stream_changes import change_of, changes_of

__all__ = ["Change", "change_of", "changes_of"]
