"""Scores that are missing: how many a requirement allows, and whether a check has more than that.

Missing are scores that exist and are not known: the judge did not answer, its reply could not be read, the
metric failed, the system under test gave no output for the item, or a recorded score is not there. An item
for which the metric is undefined, or for which the data set has no label, lacks nothing.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thresher.errors import InputError
from thresher.reports.gates.checks import Check
from thresher.reports.gates.requirement import Part, Quantity, Requirement
from thresher.reports.gates.sides import Mask, Sides
from thresher.reports.runs.completeness import causes_of, unfinished_sentence
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult, Status
from thresher.results.reasons import names_output
from thresher.results.status import LOST

_SHARE = re.compile(r"(\d+\.?\d*|\.\d+)\s*(%?)")
_SLACK = 1e-12


def checked_share(value: object) -> float:
    """A share from 0 to 1, also as text: `0.02` or `2%`.

    Raises:
        InputError: for anything else.

    >>> checked_share("2%"), checked_share(0.02)
    (0.02, 0.02)
    """
    share = math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        share = float(value)
    elif isinstance(value, str) and (text := _SHARE.fullmatch(value.strip())):
        share = float(text[1]) / (100 if text[2] else 1)
    if not 0 <= share <= 1:
        raise InputError(f"allow_missing={value!r} is not a share of the scores; give e.g. 2% or 0.02")
    return share


@dataclass(frozen=True)
class Allowance:
    """How many scores may be missing.

    Attributes:
        share: of the items to which a metric applies, 0 to 1.
        stated: requirements of a coverage, which say for their metric how many scores it needs.
    """

    share: float
    stated: Sequence[Requirement] = ()

    @classmethod
    def of(cls, share: float, requirements: Sequence[Requirement]) -> "Allowance":
        """The allowance of a gate."""
        stated = [
            requirement
            for requirement in requirements
            if requirement.quantity is Quantity.COVERAGE and requirement.bar and requirement.bar.upwards
        ]
        return cls(share, stated)

    def stated_for(self, metric: str, part: Part | None, run: RunData) -> list[Requirement]:
        """The requirements of a coverage, over all items or the same part, that decide for a metric."""
        return [
            requirement
            for requirement in self.stated
            if run.metric(requirement.metrics[0]).name == metric and requirement.part in (None, part)
        ]


def shortfall(check: Check, sides: Sides, allowance: Allowance) -> str:
    """Why a check is not decided since scores are missing; empty if it is.

    Args:
        check: the check.
        sides: the run and its baseline.
        allowance: how many scores may be missing.
    """
    stated = allowance.stated_for(check.metric, check.requirement.part, sides.run)
    for name, run, items in _sides(check, sides):
        undone = _undone(run)
        if stated and (
            run.complete or (not undone and _reached(stated, run.metrics[check.metric].result, items))
        ):
            continue
        if not run.complete and not allowance.share:
            return (
                f"{name} is unfinished: {_lacking(run)}; run it again, or say which share of scores "
                "may be missing (--allow-missing 2%, allow_missing=0.02)"
            )
        reason = _too_many(name, run.metrics[check.metric].result, items, undone, allowance.share)
        if reason:
            return reason
    return ""


def _sides(check: Check, sides: Sides) -> list[tuple[str, RunData, Mask]]:
    """The run, and the baseline if the check needs it, each with a mask of its items that count."""
    found = [("the run", sides.run, check.items)]
    if check.requirement.needs_baseline and sides.baseline is not None:
        joined = sides.pair.joined
        mask = np.zeros(len(sides.baseline), np.bool_)
        mask[np.array(joined.first, dtype=np.int64)] = check.items[np.array(joined.second, dtype=np.int64)]
        found.append(("the baseline", sides.baseline, mask))
    return found


def _reached(stated: Sequence[Requirement], result: MetricResult, items: Mask) -> bool:
    """Whether an unfinished run has the required coverage already.

    Its missing scores are not known to be lost, so a coverage below the bar refutes nothing yet.
    """
    for requirement in stated:
        mask = np.ones(len(result), np.bool_) if requirement.part is None else items
        coverage = int(np.count_nonzero(result.scored & mask)) / max(1, int(np.count_nonzero(mask)))
        if requirement.bar is None or requirement.bar.baseline or not requirement.bar.reached(coverage):
            return False
    return True


def _undone(run: RunData) -> int:
    """Items of an unfinished run that are not in its results."""
    return 0 if run.complete else max(0, int(run.provenance.get("items", len(run))) - len(run))


def _lacking(run: RunData) -> str:
    """What an unfinished run lacks, and why."""
    return unfinished_sentence(run).removeprefix("Unfinished: ").removesuffix(". Run again to continue.")


def _too_many(name: str, result: MetricResult, items: Mask, undone: int, allowed: float) -> str:
    """How many scores are missing and why, where these are more than allowed."""
    missing = _missing(result) & items
    lacking = int(np.count_nonzero(missing)) + undone
    applicable = int(np.count_nonzero(result.scored & items)) + lacking
    if not lacking or lacking <= allowed * applicable + _SLACK:
        return ""
    positions = np.flatnonzero(missing).tolist()
    causes = causes_of(result, (*LOST, Status.MISSING), positions) if positions else "they are not done"
    share = math.ceil(1000 * lacking / applicable - _SLACK) / 10
    remedy = f"--allow-missing {share:g}% (allow_missing={share / 100:.3g}) decides without them"
    return f"{name} lacks {lacking} of {applicable} scores ({causes}); {remedy}"


def _missing(result: MetricResult) -> Mask:
    """Items whose score exists and is not known."""
    missing: Mask = np.isin(result.status, LOST)
    for item in np.flatnonzero(result.status == Status.MISSING).tolist():
        missing[item] = names_output(result.reasons.get(item, ""))
    return missing
