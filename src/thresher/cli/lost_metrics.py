"""Metrics that lost all of their scores, for exit codes and their reasons."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from thresher.results import MetricResult
from thresher.results.status import LOST


def failures(result: MetricResult) -> npt.NDArray[np.bool_]:
    """Items whose score failed, in contrast to items without the data for one."""
    return np.isin(result.status, LOST)


def lost_metrics(results: Iterable[MetricResult]) -> list[MetricResult]:
    """Metrics with failures and without a score."""
    return [result for result in results if not result.n_scored and failures(result).any()]


def lost_sentence(lost: Sequence[MetricResult]) -> str:
    """Name the metrics without a score, and why."""
    names = ", ".join(result.measures[0].name for result in lost)
    place = int(np.flatnonzero(failures(lost[0]))[0])
    return f"thresher: no item has a score for {names}: {lost[0].reasons.get(place, 'no reason is stored')}"


def first_reason(results: Iterable[MetricResult]) -> str:
    """Return the reason of the first item in the first metric that has reasons."""
    return next((result.reasons[min(result.reasons)] for result in results if result.reasons), "")
