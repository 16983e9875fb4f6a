"""The control plane: operations on tables and their settings, grouped by resource."""

from __future__ import annotations
