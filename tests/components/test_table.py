"""The table of components, the names they are imported by, and what type checkers see are one list."""

import ast
from pathlib import Path

from thresher import components
from thresher.components import metric_class, metric_names


def imports_for_type_checkers():
    tree = ast.parse(Path(components.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_what_can_be_imported_is_what_type_checkers_see():
    seen = imports_for_type_checkers()
    assert {name for name in components.__all__ if name.endswith("Evaluator")} >= {
        metric_class(name).__name__ for name in metric_names()
    }
    assert set(seen) <= set(components.__all__)
    for name, module in seen.items():
        assert getattr(components, name).__module__ == module
    assert {metric_class(name).__name__ for name in metric_names()} <= set(seen)
