"""The lock by which one storage has a file: it ends with its process, however that ends."""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import suppress
from typing import Final, TextIO

from pksk.errors import FileProblem, quote_path

from .problems import permission_problem, unusable_problem

__all__ = ["FileLock"]

_NO_FOLDER: Final = (errno.ENOENT, errno.ENOTDIR)
_NO_PERMISSION: Final = (errno.EACCES, errno.EPERM, errno.EROFS)


class FileLock:
    """A lock on a file beside the one it is for, which is gone again once the lock is released."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._beside = f"{path}-lock"
        self._pid = os.getpid()
        self._file = self._take()

    def release(self) -> None:
        """Give the lock back; a process that was forked from its holder leaves it alone."""
        if self._pid == os.getpid():
            with suppress(FileNotFoundError):
                os.unlink(self._beside)  # while it is still held, so that nobody else's is removed
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._file.close()

    def _take(self) -> TextIO:
        while True:
            file = self._opened()
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_still(file, self._beside):
                    file.truncate()
                    file.write(f"{self._pid}\n")
                    file.flush()
                    return file
            except BlockingIOError:
                with file:
                    raise _in_use(self._path, file.read().strip()) from None
            except OSError as error:
                file.close()
                raise unusable_problem(self._path, error.strerror or str(error)) from None
            file.close()  # its last holder removed it between our opening and our locking

    def _opened(self) -> TextIO:
        try:
            return os.fdopen(os.open(self._beside, os.O_RDWR | os.O_CREAT, 0o666), "r+", encoding="ascii")
        except OSError as error:
            said = error.strerror or str(error)
            if error.errno in _NO_FOLDER:
                raise _no_folder(self._path) from None
            if error.errno in _NO_PERMISSION:
                raise permission_problem(self._path, said) from None
            raise unusable_problem(self._path, said) from None


def _is_still(file: TextIO, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _no_folder(path: str) -> FileProblem:
    return FileProblem(
        "storage-folder-missing",
        f"There is no folder {quote_path(os.path.dirname(path))} for {quote_path(os.path.basename(path))}.",
        expected="A file is made where there is none; its folder is not.",
        fix="make the folder, or check the name.",
    )


def _in_use(path: str, pid: str) -> FileProblem:
    if pid == str(os.getpid()):
        who, fix = "in this process", "use the one that has it, or close that first."
    else:
        who = f"in process {pid}" if pid else "in another process"
        fix = f"end {who.removeprefix('in ')} or close its engine, or open another file."
    return FileProblem(
        "storage-in-use",
        f"{quote_path(path)} is open already, {who}.",
        expected="One engine at a time has a file.",
        fix=fix,
    )
