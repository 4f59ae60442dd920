"""Write the table of metrics, and the stubs of the packages that import lazily, from the sources.

A metric is a class decorated with `@metric` in a module below `thresher.components`. Run this after adding,
moving or removing one; a test fails until it is done.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "thresher"
COMPONENTS = PACKAGE / "components"
HEAD = "# {}; written by scripts/write_components.py.\n\n"
_WIDTH = 110


def files() -> dict[Path, str]:
    """Every file that is written, with its text."""
    written = {COMPONENTS / "_table.py": table()}
    namespace = {"MODULES": modules()}
    exec(_without_imports(COMPONENTS / "_families.py"), namespace)  # noqa: S102  # the package may not import yet
    for family in namespace["FURTHER"]:
        written[COMPONENTS / family / "__init__.pyi"] = stub(namespace["exports"](family))
    for package in (PACKAGE / "metrics", PACKAGE / "pipelines" / "reporting"):
        exec(_without_imports(package / "__init__.py", "EXPORTS"), namespace)  # noqa: S102  # the same
        written[package / "__init__.pyi"] = stub(namespace["EXPORTS"])
    return written


def modules() -> dict[str, str]:
    """Class of each metric -> its module below `thresher.components`."""
    by_class = {}
    for path in COMPONENTS.rglob("*.py"):
        module = ".".join(path.relative_to(COMPONENTS).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and "metric" in map(ast.unparse, node.decorator_list):
                by_class[node.name] = module
    return dict(sorted(by_class.items()))


def table() -> str:
    """The module `_table.py`."""
    rows = "".join(f'    "{name}": "{module}",\n' for name, module in modules().items())
    return HEAD.format("Class of each metric -> its module below `thresher.components`") + (
        f"MODULES = {{\n{rows}}}\n"
    )


def stub(places: Mapping[str, str]) -> str:
    """The stub of a package, from exported name -> place."""
    return HEAD.format("What type checkers see of this package") + "\n".join(_imports(places)) + "\n"


def _imports(places: Mapping[str, str]) -> Iterator[str]:
    by_module: dict[str, set[str]] = {}
    aliases = []
    for exported, place in sorted(places.items()):
        module, _, name = place.partition(":")
        by_module.setdefault(module, set()).add(name or exported)
        aliases += [f"{exported} = {name}"] if name else []
    for module, names in sorted(by_module.items()):
        named = [f"{name} as {name}" for name in sorted(names)]
        line = f"from {module} import {', '.join(named)}"
        rows = "".join(f"    {each},\n" for each in named)
        yield line if len(line) <= _WIDTH else f"from {module} import (\n{rows})"
    if aliases:
        yield "\n" + "\n".join(aliases)


def _without_imports(path: Path, last: str = "") -> str:
    """The code of a module without its imports, up to the assignment of `last`."""
    statements: list[ast.stmt] = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            statements.append(node)
        if isinstance(node, ast.Assign) and last in map(ast.unparse, node.targets):
            break
    return ast.unparse(ast.Module(statements, []))


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
