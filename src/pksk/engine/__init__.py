"""The embedded engine: DynamoDB in this process, with the same answers as AWS."""

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from .checking.check_file import check_file
    from .checking.report import FileReport
    from .clock import Clock
    from .engine import Engine
    from .heat.heat import Heat
    from .partitioning.partition_info import PartitionInfo
    from .settings import Delays, Partitioning

_LATER = {
    ".checking.check_file": "check_file",
    ".checking.report": "FileReport",
    ".clock": "Clock",
    ".engine": "Engine",
    ".heat.heat": "Heat",
    ".partitioning.partition_info": "PartitionInfo",
    ".settings": "Delays Partitioning",
}

__all__ = ["Clock", "Delays", "Engine", "FileReport", "Heat", "PartitionInfo", "Partitioning", "check_file"]

__getattr__ = lazy_getattr(__name__, _LATER)
