"""`make reference`: writes the pages of docs/reference and the picture of README.md."""

from __future__ import annotations

from tests.project.reference.pages import FOLDER, PICTURE, pages, picture

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
        print(f"docs/reference/{name}: {len(text.splitlines())} lines")
    PICTURE.write_text(picture(), "utf-8")
    print(f"docs/{PICTURE.name}: the program of README.md")
