"""Time to live: which items expire when, and their deletion once their time has come."""

from __future__ import annotations
