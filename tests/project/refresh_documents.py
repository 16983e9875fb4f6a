"""`python -m tests.project.refresh_documents [PAGE ...]`: updates the outputs that documents show.

After messages have changed; read the difference before you commit it. Blocks that differ from run to run, which have
three dots, are left alone where they match.
"""

from __future__ import annotations

import doctest
import os
import sys
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from tests.project.snippets import Block, blocks, commands, tidy
from tests.project.test_documents import RUN, SHOWN_FROM_THE_ROOT, WALKS, _run_command, _run_python
from tests.project.test_tutorial import _commands, _run
from tests.project.tree import ROOT, documents, relative


def refreshed(document: Path) -> str:
    """The text of a document with the output of its blocks as it is now."""
    text = document.read_text("utf-8")
    with TemporaryDirectory() as folder, chdir(folder):
        pairs = (
            _walked(text, Path(folder)) if document in WALKS else _run_blocks(text, document, Path(folder))
        )
    for expected, printed in pairs:
        if expected.strip() and not _matches(expected, printed):
            text = text.replace(expected.rstrip("\n"), tidy(printed), 1)
    return text


def _run_blocks(text: str, document: Path, folder: Path) -> list[tuple[str, str]]:
    for name in SHOWN_FROM_THE_ROOT:
        (folder / name).symlink_to(ROOT / name)
    sys.modules["document"] = module = ModuleType("document")
    pairs = []
    for block in blocks(text):
        if block.info == "python":
            printed = _run_python(block, document, module)
            pairs.append((block.expected or "", printed))
        elif block.info == "console":
            pairs += _run_console(block)
    return pairs


def _run_console(block: Block) -> list[tuple[str, str]]:
    runnable = [each for each in commands(block.text) if each.text.startswith(RUN)]
    return [(each.expected, _run_command(each)) for each in runnable]


def _walked(text: str, folder: Path) -> list[tuple[str, str]]:
    pairs = []
    for block in blocks(text):
        if block.file is not None:
            (folder / block.file).write_text(block.text, "utf-8")
        pairs += [(expected, _run(command, folder)) for command, expected in _commands(block)]
    return pairs


def _matches(expected: str, printed: str) -> bool:
    return doctest.OutputChecker().check_output(tidy(expected), tidy(printed), doctest.ELLIPSIS)


def main() -> None:
    named = {Path(name).resolve() for name in sys.argv[1:]}
    os.environ.pop("COLUMNS", None)
    for document in documents():
        if not named or document in named:
            text = refreshed(document)
            if text != document.read_text("utf-8"):
                document.write_text(text, "utf-8")
                print(relative(document))


if __name__ == "__main__":
    main()
