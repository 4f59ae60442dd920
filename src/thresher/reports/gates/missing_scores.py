"""Missing scores: how many a gate accepts, and whether a check lacks more.

A score is missing if it exists in principle and is not known: the judge did not answer, its reply could not
be read, the metric failed, the system under test gave no output for the item, or no score was recorded. It is
not missing if the metric is undefined for the item, or if the data set has no label for it.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.reports.gates.context import GateContext
from thresher.reports.gates.grammar import Mask
from thresher.reports.gates.quantities.base import Check
from thresher.reports.gates.quantities.coverage import Coverage
from thresher.reports.gates.requirement import Requirement
from thresher.reports.runs.completeness import causes_of, how_to_continue, missing_scores, why_unfinished
from thresher.reports.runs.looks import is_partial
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult, Status
from thresher.results.status import LOST
from thresher.surface import given

_SHARE = re.compile(r"(\d++(?:\.\d*+)?+|\.\d++)\s*+(%?)")
_SLACK = 1e-12
"""Far more than the rounding error of a share times a number of items, and far less than an item."""
_PLAN = "plan looks at its parts with --looks (looks=)"
_ALLOW = "or give the share of scores that may be missing (--allow-missing 2%, allow_missing=0.02)"


def checked_share(value: object) -> float:
    """Return a share from 0 to 1, given as a number or as text: `0.02` or `2%`.

    Raises:
        InputError: for anything else.

    >>> checked_share("2%"), checked_share(0.02)
    (0.02, 0.02)
    """
    share = math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        share = float(value)
    elif isinstance(value, str) and (match := _SHARE.fullmatch(value.strip())):
        share = float(match[1]) / (100 if match[2] else 1)
    if not 0 <= share <= 1:
        raise InputError(
            f"{given('allow_missing', value)} is not a share of the scores; give e.g. 2% or 0.02"
        )
    return share


@dataclass(frozen=True)
class MissingScores:
    """The rule that decides whether a check lacks too many scores.

    Attributes:
        context: the run and its baseline.
        allowed: share of the items to which a metric applies whose scores may be missing, 0 to 1.
        requirements: all requirements of the gate; a coverage that one of them requires replaces `allowed`.
    """

    context: GateContext
    allowed: float
    requirements: Sequence[Requirement]

    def reason(self, check: Check) -> str:
        """Return why a check is not decided; empty if enough scores are there."""
        required = self._required_coverages(check)
        for name, run, items in self._runs(check):
            result, not_done = run.metrics[check.metric].result, _items_not_done(run)
            if not_done:
                again = how_to_continue(run.provenance, "run it again")
                return f"{name} is unfinished: {why_unfinished(run)}; {again}, or {_PLAN}"
            if required and (run.complete or _reach(required, result, items)):
                continue
            if is_partial(run) and not self.allowed:
                again = how_to_continue(run.provenance, "run it again")
                return f"{name} is unfinished: {why_unfinished(run)}; {again}, {_ALLOW}"
            reason = _too_many(name, result, items, self.allowed)
            if reason:
                return reason
        return ""

    def _required_coverages(self, check: Check) -> list[Requirement]:
        """Requirements of a lowest coverage of the check's metric, over all items or the same slice."""
        return [
            requirement
            for requirement in self.requirements
            if isinstance(requirement.quantity, Coverage)
            and requirement.threshold.upwards
            and requirement.quantity.metric_names(self.context) == [check.metric]
            and requirement.quantity.slice in (None, check.quantity.slice)
        ]

    def _runs(self, check: Check) -> Iterator[tuple[str, RunData, Mask]]:
        """The run, and the baseline if the check compares with it, each with a mask of the covered items."""
        yield "the run", self.context.run, check.items
        baseline = self.context.baseline
        if check.threshold.baseline and baseline is not None:
            joined = self.context.pair.joined
            mask = np.zeros(len(baseline), np.bool_)
            mask[joined.here] = check.items[joined.there]
            yield "the baseline", baseline, mask


def _reach(required: Sequence[Requirement], result: MetricResult, items: Mask) -> bool:
    """Whether an unfinished run already has the required coverages.

    Its missing scores may still come, so a coverage below the threshold refutes nothing yet.
    """
    for requirement in required:
        mask = np.ones(len(result), np.bool_) if requirement.quantity.slice is None else items
        coverage = int(np.count_nonzero(result.scored & mask)) / max(1, int(np.count_nonzero(mask)))
        if requirement.threshold.baseline or not requirement.threshold.reached(coverage):
            return False
    return True


def _items_not_done(run: RunData) -> int:
    """Items of an unfinished run that are not in its results, unless looks at a part of it were planned."""
    return max(0, int(run.provenance.get("items", len(run))) - len(run)) if is_partial(run) else 0


def _too_many(name: str, result: MetricResult, items: Mask, allowed: float) -> str:
    """How many scores are missing, why, and the share that would allow it; empty if no more than allowed."""
    missing = missing_scores(result) & items
    lacking = int(np.count_nonzero(missing))
    applicable = int(np.count_nonzero(result.scored & items)) + lacking
    if not lacking or lacking <= allowed * applicable + _SLACK:
        return ""
    positions = np.flatnonzero(missing).tolist()
    causes = causes_of(result, (*LOST, Status.MISSING), positions)
    share = math.ceil(1000 * lacking / applicable - _SLACK) / 10
    remedy = f"--allow-missing {share:g}% (allow_missing={share / 100:.3g}) decides without them"
    return f"{name} lacks {lacking} of {counted(applicable, 'score')} ({causes}); {remedy}"
