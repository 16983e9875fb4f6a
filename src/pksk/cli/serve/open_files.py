"""Room for as many connections as a server may have, and none of them in a wrong place."""

from __future__ import annotations

import os
from typing import Final

__all__ = ["fill_standard_files", "raise_open_files"]

# For the file of tables, its readers, the event loop, and connections that are being refused.
_BESIDE: Final = 256
_STANDARD_ERROR: Final = 2


def raise_open_files(connections: int) -> None:
    """Let this process have that many connections open, as far as its system allows."""
    try:
        import resource
    except ImportError:  # not on this system, which has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _BESIDE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def fill_standard_files() -> None:
    """Let nothing of ours take the number of a standard stream that was closed: libuv ends the process for that."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass
    os.close(number)
