"""Transactions: many writes or reads as one, their tokens, and what they do to each other."""

from __future__ import annotations
