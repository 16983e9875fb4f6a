"""Tables: what exists, in which state, and how it is described."""

from __future__ import annotations
