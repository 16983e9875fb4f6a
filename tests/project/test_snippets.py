"""The reader of documents sees every block, and pairs it with its output."""

from __future__ import annotations

from tests.project.snippets import Command, blocks, commands, tidy

PAGE = """
# A page

```python
print(1)
```

```text
1
```

Some words.

```text
not an output of anything
```

- In a list:

  ```python
  print(2)
  ```

  Words between.

  ```output
  2
  ```

````markdown
```python
print("shown, not run")
```
````
"""


def test_blocks_are_found_in_order_with_their_lines() -> None:
    found = [(block.info, block.line) for block in blocks(PAGE)]

    assert found == [
        ("python", 4),
        ("text", 8),
        ("text", 14),
        ("python", 20),
        ("output", 26),
        ("markdown", 30),
    ]


def test_output_belongs_to_the_python_directly_before_it() -> None:
    expected = [block.expected for block in blocks(PAGE) if block.info == "python"]

    assert expected == ["1\n", None]


def test_a_block_inside_a_list_loses_its_indent() -> None:
    assert [block.text for block in blocks(PAGE) if block.info == "python"] == ["print(1)\n", "print(2)\n"]


def test_commands_are_split_at_their_prompt() -> None:
    console = "$ pksk one \\\n  --two\nfirst\nsecond\n$ pksk three\n"

    assert commands(console) == [Command("pksk one    --two", "first\nsecond\n"), Command("pksk three", "")]


def test_trailing_whitespace_is_ignored() -> None:
    assert tidy("a  \n b\n\n") == tidy("a\n b")
