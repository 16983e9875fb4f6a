"""What DynamoDB says, word for word, by area; nowhere else."""

from __future__ import annotations
