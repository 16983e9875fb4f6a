"""Imports a design, and turns whatever its own code raises into an error that shows its own lines."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from pksk.cli.target.failed import refuse_failed
from pksk.cli.target.own_lines import has_own_line, is_own
from pksk.cli.target.place import Place
from pksk.cli.target.search_path import on_path
from pksk.cli.target.suggest import refuse_missing
from pksk.errors import FileProblem, quote

__all__ = ["importing"]


def importing(where: Place) -> ModuleType:
    """The module of a place."""
    try:
        with on_path(where.folders):
            module = _run(where) if where.alone else import_module(where.module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if _is_missing(where, error):
            refuse_missing(where.text)
        refuse_failed(where.text, error)
    _check_file(where, module)
    return module


def _is_missing(where: Place, error: BaseException) -> bool:
    """Whether the module itself is not there, rather than one that it imports."""
    if not isinstance(error, ModuleNotFoundError) or has_own_line(error):
        return False
    parts = where.module.split(".")
    return error.name in {".".join(parts[:length]) for length in range(1, len(parts) + 1)}


class _FromSource(SourceFileLoader):
    """Loads a file as it is now, and leaves nothing beside it."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Compile the source, whatever is cached."""
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


def _run(where: Place) -> ModuleType:
    """Run a file that is in no package, under the name by which its neighbours would import it."""
    name = _free_name(where.module)
    spec = spec_from_file_location(name, where.file, loader=_FromSource(name, str(where.file)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before
        raise
    return module


def _free_name(stem: str) -> str:
    """The name of a file's module, unless Python or a package has it."""
    known = sys.modules.get(stem)
    taken = known is not None and not is_own(getattr(known, "__file__", None) or "<built-in>")
    plain = stem.replace(".", "_")
    return f"{plain}_design" if taken or stem in sys.stdlib_module_names else plain


def _check_file(where: Place, module: ModuleType) -> None:
    """Refuse a module that is not the one that was meant: a folder, or another file of the same name."""
    found = getattr(module, "__file__", None)
    if found is None and module.__name__ not in sys.builtin_module_names:
        refuse_missing(os.path.relpath(next(iter(module.__path__), where.text)))
    if where.file is not None and found and not Path(found).samefile(where.file):
        raise FileProblem(
            "target-hidden",
            f"{where.text}: Python finds module {quote(where.module)} elsewhere, in {found}.",
            fix="rename the package, or remove the other one from the environment.",
        )
