"""What a plain installation lacks: the packages of the extras, as `pyproject.toml` declares them."""

import os
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from thresher.errors import MissingDependencyError

IS_PLAIN = bool(os.environ.get("THRESHER_PLAIN"))
"""Whether this environment has the declared dependencies and no extra (`make plain`)."""
TOP = Path(__file__).parents[1]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
_NAME = re.compile(r"[\w.-]+")


def _distribution(requirement):
    return re.sub(r"[-_.]+", "-", _NAME.match(requirement)[0]).lower()


def _needed(requirements):
    """The distributions of some requirements and all that they need, as far as they are installed."""
    needed, left = set(), [_distribution(requirement) for requirement in requirements]
    while left:
        name = left.pop()
        if name not in needed:
            needed.add(name)
            try:
                found = requires(name) or []
            except PackageNotFoundError:
                continue
            left += [_distribution(entry) for entry in found if "extra ==" not in entry]
    return needed


@cache
def extras():
    """Extra -> its distributions that a plain installation lacks."""
    plain = _needed(PROJECT["dependencies"])
    every = PROJECT["optional-dependencies"].items()
    return {extra: {_distribution(one) for one in wanted} - plain for extra, wanted in every}


def block(monkeypatch):
    """Make the packages of all extras impossible to import."""
    lacking = set().union(*extras().values())
    for module, distributions in packages_distributions().items():
        if any(_distribution(name) in lacking for name in distributions):
            loaded = [name for name in sys.modules if name == module or name.startswith(f"{module}.")]
            for name in {module, *loaded}:
                monkeypatch.setitem(sys.modules, name, None)


def named_extra(text):
    """The extra that a message or a page says to install; None if it names none."""
    named = re.search(r"pip install 'thresher\[(\w+)\]'", text)
    return named[1] if named and named[1] in extras() else None


def lacked_extra(item, raised):
    """The extra without which a test failed; None if it failed for another reason.

    A block of a page may import a package of an extra itself, if the page names the extra.
    """
    error = raised.value
    if isinstance(error, ModuleNotFoundError) and not isinstance(error, MissingDependencyError):
        page = TOP / item.name.partition("[")[2].partition(":")[0]
        return named_extra(page.read_text(encoding="utf-8")) if page.suffix == ".md" else None
    return named_extra(str(error))
