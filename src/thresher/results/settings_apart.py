"""What distinguishes the settings of results that cannot be joined."""

from collections.abc import Iterable
from typing import Protocol

from thresher.results.measure import Measure


class _Measured(Protocol):
    @property
    def measures(self) -> Iterable[Measure]: ...


def settings_apart(first: _Measured, second: _Measured) -> str:
    """Return the first setting that differs, as the end of a sentence; empty if no signature shows it."""
    sides = [{measure.name: measure for measure in side.measures} for side in (first, second)]
    only = next((name for name in {**sides[0], **sides[1]} if (name in sides[0]) != (name in sides[1])), None)
    if only is not None:
        return f": {only} is computed in one and not in another"
    for name, measure in sides[0].items():
        for setting, values in measure.signature.differences(sides[1][name].signature).items():
            return f": {setting} is {values[0]} in one and {values[1]} in another"
    return ""
