"""Old class names of metrics in the packages that export them."""

from collections.abc import Callable
from typing import Any

from thresher.components._families import exports
from thresher.components._table import FORMER
from thresher.results.renamed_measures import RENAMED

_SHORT = {
    "AveragePrecisionEvaluator": "DetectionAveragePrecisionEvaluator",
    "AverageRecallEvaluator": "DetectionAverageRecallEvaluator",
}
"""Names that the package of detection had in addition."""


def with_former_names(package: str, get: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package that also knows the old names of the metrics it exports."""
    family = package.removeprefix("thresher.components").removeprefix(".")
    exported = exports(family)
    former = _SHORT if family == "detection" else {}
    names = {old: new for old, new in (FORMER | former).items() if new in exported}
    lookup = RENAMED.attributes(package, names)
    return lambda name: lookup(name) if name in names else get(name)
