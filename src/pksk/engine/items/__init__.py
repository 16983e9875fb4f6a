"""Items: keys checked, reads and writes of one or of many, and what they consume."""

from __future__ import annotations
