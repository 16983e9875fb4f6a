"""Signature Version 4: whether a request was signed by somebody who has a key, and what AWS says if not."""

from __future__ import annotations

from .key import Key
from .verifier import Verifier

__all__ = ["Key", "Verifier"]
