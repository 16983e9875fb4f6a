"""The kinds of writes: put, update, delete, check, batch and transaction."""

from __future__ import annotations

from pksk.model.requests.batch import Batch, batch
from pksk.model.requests.check import Check
from pksk.model.requests.delete import Delete
from pksk.model.requests.put import Put
from pksk.model.requests.transaction import Transaction, transaction
from pksk.model.requests.update import Update

__all__ = ["Batch", "Check", "Delete", "Put", "Transaction", "Update", "batch", "transaction"]
