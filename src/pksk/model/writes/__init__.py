"""Writes as values: what is put, changed, deleted or checked, built first and run elsewhere."""

from __future__ import annotations

from pksk.model.writes.batches import Batch, batch
from pksk.model.writes.check import Check
from pksk.model.writes.delete import Delete
from pksk.model.writes.put import Put
from pksk.model.writes.transactions import Transaction, transaction
from pksk.model.writes.update import Update

__all__ = ["Batch", "Check", "Delete", "Put", "Transaction", "Update", "batch", "transaction"]
