"""Files that are on disk, and whole, before anything speaks of them."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["sync_folder", "write_file"]


def write_file(path: Path, content: bytes) -> None:
    """Write a new file, and wait until it is on disk."""
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Wait until the names in a folder are on disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
