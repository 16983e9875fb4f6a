"""Tables to files and back: exports in the layout of AWS's own, and imports of them and of CSV."""

from __future__ import annotations

from .export import Export, open_export
from .export_table import export_table
from .import_table import ImportResult, SkippedLine, import_table
from .progress import Progress
from .table_definition import TableDefinition

__all__ = [
    "Export",
    "ImportResult",
    "Progress",
    "SkippedLine",
    "TableDefinition",
    "export_table",
    "import_table",
    "open_export",
]
