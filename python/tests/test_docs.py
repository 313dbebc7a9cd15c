"""Documentation examples run, public names are documented, and the package stays within its size limits."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import runpy
import subprocess
import sys
from pathlib import Path

import outplay as op
import pytest

HERE = Path(__file__).resolve().parent.parent
MODULES = [name for _, name, _ in pkgutil.iter_modules(op.__path__) if not name.startswith("_outplay")]


@pytest.mark.parametrize("name", ["", *MODULES])
def test_docstrings(name):
    module = importlib.import_module(f"outplay.{name}" if name else "outplay")
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert found.failed == 0
    assert module.__doc__


def test_there_are_examples():
    tried = sum(doctest.testmod(importlib.import_module(f"outplay.{name}")).attempted for name in ["_api", "_rules", "judging", "policies"])
    assert tried >= 15


def test_everything_public_is_there_and_documented():
    for name in op.__all__:
        found = getattr(op, name)
        if inspect.isclass(found) or inspect.isroutine(found):
            assert found.__doc__, name
    assert set(op.__all__) <= set(dir(op))
    with pytest.raises(AttributeError):
        op.nothing


def test_stubs_name_what_there_is():
    """Every method of the stubs exists, and every existing method is in the stubs."""
    stubs = (HERE / "outplay" / "_outplay.pyi").read_text()
    for name in ("Game", "Position", "Move", "Table", "Graph", "Server", "Why"):
        body = re.search(rf"^class {name}:\n((?:    .*\n|\n)+)", stubs, re.M).group(1)
        told = set(re.findall(r"    def (\w+)\(", body))
        real = {key for key, value in vars(getattr(op, name)).items() if not key.startswith("__") and value is not None}
        assert real <= told, (name, real - told)
        missing = {key for key in told if not hasattr(getattr(op, name), key)}
        assert not missing, (name, missing)


def test_errors_carry_sentence_and_cure():
    error = op.LimitError("it takes too long", "wait")
    assert (error.sentence, error.cure, str(error)) == ("it takes too long", "wait", "it takes too long (wait)")
    for name in ("InputError", "TableError", "NoTableError", "LimitError", "ProofError", "RefusedError", "RulesError", "LawError"):
        assert issubclass(getattr(op, name), op.OutplayError)


def test_importing_needs_nothing_else():
    script = "import sys, outplay; print([name for name in ('pettingzoo', 'pyspiel', 'pyarrow', 'matplotlib', 'IPython') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip() == "[]"


@pytest.mark.parametrize("example", sorted(path.name for path in (HERE / "examples").glob("*.py")))
def test_examples_run(example, monkeypatch, capsys):
    arguments = {"probe.py": ["connect4:4x4", "20000"]}.get(example, [])
    monkeypatch.setattr(sys, "argv", [example, *arguments])
    runpy.run_path(str(HERE / "examples" / example), run_name="__main__")
    assert capsys.readouterr().out


def test_readme_is_right():
    readme = (HERE / "README.md").read_text()
    p = op.game("connect4:5x4").position("33")
    assert str((p.value, p.distance, p.best)) in readme


@pytest.mark.parametrize(("name", "examples"), [("python.md", 20), ("your-own-game.md", 5)])
def test_guides_are_right(name, examples):
    guide = HERE.parent / "docs" / name
    if not guide.exists():
        pytest.skip("not in a checkout")
    found = doctest.testfile(str(guide), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.failed == 0 and found.attempted > examples
