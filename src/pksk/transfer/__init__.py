"""Exports tables to files in the layout of AWS, and imports such exports and CSV."""

from __future__ import annotations

from .export import Export, open_export
from .export_table import export_table
from .import_table import ImportResult, SkippedLine, import_table
from .progress import Progress
from .table_definition import TableDefinition

__all__ = [
    "Export", "ImportResult", "Progress", "SkippedLine", "TableDefinition", "export_table",
    "import_table", "open_export",
]  # fmt: skip
