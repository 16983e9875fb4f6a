"""DynamoDB's data-plane operations, one to a file."""

from __future__ import annotations
