"""Records of streams as typed changes: which entity, what it was and what it became."""

from __future__ import annotations

from .change import Change
from .changes_of import change_of, changes_of

__all__ = ["Change", "change_of", "changes_of"]
