"""Room for as many connections as a server may have."""

from __future__ import annotations

from typing import Final

__all__ = ["raise_open_files"]

# For the file of tables, its readers, the event loop, and connections that are being refused.
_BESIDE: Final = 256


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
