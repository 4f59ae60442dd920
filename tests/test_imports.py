"""Imports of modules have no cycles, including deferred imports and imports for type checkers."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import thresher

SOURCE = Path(thresher.__file__).parent.parent


def modules():
    paths = SOURCE.joinpath("thresher").rglob("*.py")
    return {".".join(p.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): p for p in paths}


def imported(path, known):
    """The modules of the package that a file imports anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                full = f"{node.module}.{name.name}"
                yield full if full in known else node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def circle(imports):
    """The modules of one circle; empty if there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_modules_import_each_other():
    known = modules()
    imports = {name: {*imported(path, known)} & {*known} - {name} for name, path in known.items()}
    assert len(imports["thresher.cli.main"]) > 1, "imports are read"
    assert circle(imports) == []


def test_a_circle_is_noticed():
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == {"a", "b", "c"}
