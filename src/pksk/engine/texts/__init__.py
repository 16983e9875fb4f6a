"""DynamoDB's messages, word for word, by area. They are written nowhere else."""

from __future__ import annotations
