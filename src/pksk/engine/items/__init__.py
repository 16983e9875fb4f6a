"""Items: key checks, reads and writes of one item or many, and the capacity they consume."""

from __future__ import annotations
