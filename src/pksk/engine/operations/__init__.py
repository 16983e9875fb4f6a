"""DynamoDB's operations, one to a file."""

from __future__ import annotations
