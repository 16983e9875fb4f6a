"""`make reference`: writes the pages of docs/reference anew."""

from __future__ import annotations

from tests.project.reference.pages import FOLDER, pages

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
        print(f"docs/reference/{name}: {len(text.splitlines())} lines")
