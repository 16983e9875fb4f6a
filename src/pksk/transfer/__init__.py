"""Tables to files and back: exports in the layout of AWS's own, and imports of them and of CSV."""

from __future__ import annotations

from .definition import Definition
from .export import Export, open_export
from .export_table import export_table
from .import_table import import_table
from .imported import Imported, Skipped
from .progress import Progress

__all__ = [
    "Definition",
    "Export",
    "Imported",
    "Progress",
    "Skipped",
    "export_table",
    "import_table",
    "open_export",
]
