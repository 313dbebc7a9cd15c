"""The stubs: signatures and documentation are those of the compiled module; type checkers accept correct code only."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import shutil
import subprocess
import sys
import typing
from pathlib import Path

import outplay as op
import pytest
from outplay import _outplay, _types

HERE = Path(__file__).resolve().parent.parent
STUBS = HERE / "outplay" / "_outplay.pyi"


def functions():
    """Yield every function of the stubs: its owner at run time, the name of its class, and its syntax."""
    for node in ast.parse(STUBS.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield _outplay, "", node
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    yield getattr(_outplay, node.name), node.name, part


def is_property(node):
    return any(isinstance(decorator, ast.Name) and decorator.id == "property" for decorator in node.decorator_list)


def parameters(node):
    """Return names, kinds and defaults of the parameters of a stub."""
    given = node.args
    first = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(first) - len(given.defaults)) + given.defaults
    found = [(arg.arg, False, default) for arg, default in zip(first, defaults)]
    if given.vararg:
        found.append((given.vararg.arg, False, None))
    found += [(arg.arg, True, default) for arg, default in zip(given.kwonlyargs, given.kw_defaults)]
    return [(name, named, inspect.Parameter.empty if default is None else ast.literal_eval(default)) for name, named, default in found]


def test_signatures_are_those_of_the_module():
    checked = 0
    for owner, name, node in functions():
        where = f"{name}.{node.name}"
        if node.name == "program" and not hasattr(owner, "program"):
            continue  # a build without the command line
        real = inspect.getattr_static(owner, node.name)
        assert is_property(node) == inspect.isdatadescriptor(real), where
        if is_property(node) or node.name.startswith("__"):
            continue
        signature = inspect.signature(real)
        told = [(p.name, p.kind is p.KEYWORD_ONLY, p.default) for p in signature.parameters.values()]
        assert parameters(node) == told, where
        checked += 1
    assert checked > 50


def test_everything_of_the_module_has_a_stub():
    body = ast.parse(STUBS.read_text()).body
    told = {node.name for node in body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    told |= {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
    real = {name for name in vars(_outplay) if not name.startswith("__")}
    # Panics can only be made in debug builds.
    assert real - {"panic_"} <= told


def test_documentation_is_that_of_the_module():
    spec = importlib.util.spec_from_file_location("stubs", HERE / "tools" / "stubs.py")
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)
    source = STUBS.read_text()
    assert stubs.written(source) == source, "run `python tools/stubs.py`"
    bare = ast.parse(source)
    for node in ast.walk(bare):
        # Builds without the command line keep the documentation of `program`.
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) and node.name != "program":
            node.body = node.body[1:] or [ast.Expr(ast.Constant(...))]
    again = stubs.written(stubs.written(ast.unparse(bare)))
    assert ast.dump(ast.parse(again)) == ast.dump(ast.parse(source))


def test_everything_public_is_documented_in_the_stubs():
    for owner, name, node in functions():
        if not node.name.startswith("_") and not node.name.endswith("_"):
            text = ast.get_docstring(node)
            assert text, f"{name}.{node.name}"
            assert "`" not in text or text.count("`") % 2 == 0


def test_words_are_those_of_the_package():
    for method in typing.get_args(_types.MethodWord):
        try:
            op.game("nim:1+2", data="/nonexistent").solve(method=method, save=False)
        except op.OutplayError as error:
            assert "not a method" not in str(error), method
    with pytest.raises(op.InputError, match="not a method") as caught:
        op.game("nim:1+2").solve(method="magic")
    listed = caught.value.sentence.split("choose one of ")[1].split(", ")
    assert listed == list(typing.get_args(_types.MethodWord))
    with pytest.raises(op.InputError, match="values"):
        op.game("nim:1+2").solve(values="magic")
    p = op.game("tictactoe").start
    assert p.value in typing.get_args(_types.ValueWord) and p.turn in typing.get_args(_types.TurnWord)
    assert p.source in typing.get_args(_types.SourceWord)


RIGHT = """
import outplay as op

position = op.game("tictactoe").position(["b2", "a1"])
won: bool = position.value == "win" and position.turn == "first"
table = op.game("nim:1+2").solve(method="sweep", values="distance", save=False)
plies: int | None = table[position].distance
for other in table:
    names: list[str] = other.legal_moves
with op.submit(table.stats) as job:
    numbers = job.result()["positions"]
report = op.match("tictactoe", ["perfect", lambda p: p.legal[0]], games=2)
share: float = report.score("perfect")
"""
WRONG = [
    'import outplay as op\nwon = op.game("tictactoe").start.value == "wni"\n',
    'import outplay as op\nfirst = op.game("tictactoe").start.turn == "white"\n',
    'import outplay as op\ntable = op.game("tictactoe").solve(method="swep")\n',
    'import outplay as op\nlost = op.game("tictactoe").start.moves[0].value == "lost"\n',
]


def checked(tool, source, tmp_path):
    """Return whether a type checker accepts a program."""
    file = tmp_path / "program.py"
    file.write_text(source)
    words = {
        "mypy": [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(file)],
        "pyright": ["pyright", "--pythonpath", sys.executable, str(file)],
    }[tool]
    return subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)


@pytest.mark.parametrize("tool", ["mypy", "pyright"])
def test_type_checkers_know_the_words(tool, tmp_path):
    if tool == "mypy":
        pytest.importorskip("mypy")
    elif shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    done = checked(tool, RIGHT, tmp_path)
    assert done.returncode == 0, done.stdout
    if tool == "mypy":
        for source in WRONG:
            assert checked(tool, source, tmp_path).returncode == 1, source


def test_stubtest_is_clean(tmp_path):
    pytest.importorskip("mypy.stubtest")
    allowed = tmp_path / "allowed"
    allowed.write_text("outplay._outplay.panic_\noutplay._outplay.__all__\n")
    words = [sys.executable, "-m", "mypy.stubtest", "outplay._outplay", "--allowlist", str(allowed), "--ignore-unused-allowlist"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_all_public_types_are_known():
    if shutil.which("pyright") is None:
        pytest.skip("pyright is not installed")
    done = subprocess.run(
        ["pyright", "--pythonpath", sys.executable, "--verifytypes", "outplay", "--ignoreexternal"], capture_output=True, text=True
    )
    assert "100%" in done.stdout, done.stdout
