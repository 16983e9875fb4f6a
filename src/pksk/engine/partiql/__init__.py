"""PartiQL: statements read once, and compiled into the reads and writes of the ordinary operations."""

from __future__ import annotations
