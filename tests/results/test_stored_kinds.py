"""Files of results name reductions and breakdowns by kind, module and fields: later versions must know them.

One that moves or is renamed keeps loading if its old module still gives it under its old kind: leave an
import of it there, or a subclass with the old `kind`. A field that is renamed or removed stays as one that is
read and ignored; a new one needs a default, and `metadata=LATER`, with which earlier versions read the file.
New kinds and fields: `UPDATE_KINDS=additions .venv/bin/pytest tests/results/test_stored_kinds.py`.
"""

import os
import re
from dataclasses import MISSING, fields
from importlib import import_module
from pathlib import Path

import pytest

from thresher.results import breakdown, reductions
from thresher.results.registry import LATER

TOP = Path(__file__).parents[2]
STORED = TOP / "tests/golden/results/kinds.txt"
REGISTRIES = {"reduction": reductions._REGISTRY, "breakdown": breakdown._REGISTRY}
SETS_KIND = re.compile(r"^    kind(: ClassVar\[str\])? = \"", re.MULTILINE)


def current():
    """A line for each class of this package: base, kind, module, fields."""
    for path in sorted(TOP.glob("src/thresher/**/*.py")):
        if SETS_KIND.search(path.read_text(encoding="utf-8")):
            import_module(".".join(path.relative_to(TOP / "src").with_suffix("").parts))
    return sorted(
        " ".join([base, kind, cls.__module__, *names_of(cls)])
        for base, registry in REGISTRIES.items()
        for kind, cls in registry._classes.items()
        if cls.__module__.startswith("thresher.")
    )


def names_of(cls):
    return [field.name for field in fields(cls)]


def problem_of(line):
    """Why files with this line cannot be read any more; empty if they can."""
    base, kind, module, *names = line.split(" ")
    cls = REGISTRIES[base]._classes.get(kind)
    try:
        given = vars(import_module(module)).values()
    except ImportError as error:
        return f"{line}: {error}"
    if cls is None or not any(thing is cls for thing in given):
        return f"{line}: importing {module} does not register the {base} {kind!r}"
    if lost := set(names) - {field.name for field in fields(cls) if field.init}:
        return f"{line}: {cls.__name__} does not take {sorted(lost)}"
    added = [field for field in fields(cls) if field.init and field.name not in names]
    if needed := [field.name for field in added if field.default is MISSING or field.metadata != LATER]:
        return f"{line}: the new fields {needed} need a default and metadata=LATER"
    return ""


def test_stored_kinds_are_known():
    now, stored = current(), STORED.read_text(encoding="utf-8").splitlines()
    assert list(filter(None, map(problem_of, stored))) == []
    if os.environ.get("UPDATE_KINDS") == "additions":
        stored = sorted({*stored, *now})
        STORED.write_text("\n".join(stored) + "\n", encoding="utf-8")
    assert sorted(set(now) - set(stored)) == [], "new kinds or fields: run with UPDATE_KINDS=additions"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("reduction mean thresher.results.moved column", "No module named"),
        ("reduction mean thresher.results.registry column", "does not register"),
        ("reduction average thresher.results.reductions column", "does not register"),
        ("reduction mean thresher.results.reductions score", "does not take"),
        ("reduction mean thresher.results.reductions", "need a default and metadata=LATER"),
        ("reduction mean thresher.results.reductions column", ""),
    ],
)
def test_what_old_files_cannot_read_is_noticed(line, problem):
    assert problem in problem_of(line)
    assert bool(problem_of(line)) == bool(problem)
