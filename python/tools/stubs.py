"""Writes the documentation of the extension module into its stubs, `outplay/_outplay.pyi`.

Editors read the stubs, not the compiled module. The one source of the documentation are the comments in `src/*.rs`,
which are the docstrings of the compiled module. After a change of them, run `python tools/stubs.py` with the package
installed; `--check` only reports whether the stubs are up to date.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import Any, Union

from outplay import _outplay

STUBS = Path(__file__).resolve().parent.parent / "outplay" / "_outplay.pyi"
WIDTH = 120

Node = Union[ast.ClassDef, ast.FunctionDef]


def documentation(owner: Any, name: str) -> str | None:
    """Return the documentation of an attribute of the compiled module or of one of its classes."""
    if name.startswith("__") or name.startswith("_repr_"):
        return None
    found = inspect.getattr_static(owner, name, None)
    text = getattr(found, "__doc__", None)
    return inspect.cleandoc(text) if text else None


def is_documentation(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def wrapped(text: str, width: int) -> list[str]:
    """Return paragraphs and items of lists as lines of a width."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        lines += [""] if lines else []
        for item in re.split(r"\n(?=- )", paragraph):
            after = "  " if item.startswith("- ") else ""
            lines += textwrap.wrap(
                " ".join(item.split()), width, subsequent_indent=after, break_long_words=False, break_on_hyphens=False
            )
    return lines


def block(text: str, indent: str) -> list[str]:
    """Return a docstring as lines."""
    # Three characters for the quotes of the first line.
    lines = wrapped(text.replace("\\", "\\\\").replace('"""', "'''"), WIDTH - len(indent) - 3)
    if len(lines) == 1 and not lines[0].endswith('"') and len(indent) + len(lines[0]) + 6 <= WIDTH:
        return [f'{indent}"""{lines[0]}"""']
    shown = [f'{indent}"""{lines[0]}', *(f"{indent}{line}".rstrip() for line in lines[1:])]
    return [*shown, f'{indent}"""']


def written(source: str) -> str:
    """Return the stubs with the documentation of the compiled module."""
    lines = source.split("\n")
    nodes: list[tuple[Node, Any]] = []
    for node in ast.parse(source).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            nodes.append((node, _outplay))
        if isinstance(node, ast.ClassDef):
            owner = getattr(_outplay, node.name)
            nodes += [(part, owner) for part in node.body if isinstance(part, ast.FunctionDef)]
    # From the end, so that the line numbers of the others stay valid.
    for node, owner in sorted(nodes, key=lambda pair: -pair[0].lineno):
        if not hasattr(owner, node.name):
            continue  # `program`, in a build without the command line
        text = documentation(owner, node.name)
        first = node.body[0]
        indent = " " * (node.col_offset + 4)
        shown = block(text, indent) if text else []
        if isinstance(node, ast.ClassDef):
            if is_documentation(first) and first.end_lineno is not None:
                lines[first.lineno - 1 : first.end_lineno] = []
            lines[node.lineno : node.lineno] = shown
            continue
        header = lines[first.lineno - 1][: first.col_offset].rstrip()
        shown = shown or [f"{indent}..."]
        if first.end_lineno is None:
            continue
        if header:
            lines[first.lineno - 1 : first.end_lineno] = [header, *shown] if text else [f"{header} ..."]
        elif text:
            lines[first.lineno - 1 : first.end_lineno] = shown
        else:
            lines[first.lineno - 2 : first.end_lineno] = [f"{lines[first.lineno - 2]} ..."]
    return "\n".join(lines)


def main() -> int:
    """Write the stubs, or check them."""
    before = STUBS.read_text(encoding="utf-8")
    after = written(before)
    if before == after:
        return 0
    if "--check" in sys.argv[1:]:
        print(f"{STUBS.name} does not have the documentation of the compiled module; run `python tools/stubs.py`")
        return 1
    STUBS.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
