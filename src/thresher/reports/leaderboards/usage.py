"""What a run used per item: seconds, tokens and money."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.interval import finite
from thresher.reports.runs.run_data import RunData

LATENCY, TOKENS, COST = "latency", "tokens", "cost"
"""Names of the measures; `latency_p95`, `tokens_input` and others derive from them."""
Floats = npt.NDArray[np.float64]


def is_usage(measure: str) -> bool:
    """Whether a measure says what a run used instead of how good it is.

    >>> is_usage("latency"), is_usage("tokens_input"), is_usage("token_f1")
    (True, True, False)
    """
    return measure in (LATENCY, TOKENS, COST) or measure.startswith((f"{LATENCY}_", f"{TOKENS}_"))


@dataclass(frozen=True)
class Usage:
    """What one run used; None where it was not recorded.

    Attributes:
        latency_median: seconds per item.
        latency_p95: seconds that 95 % of the items did not exceed.
        tokens: tokens per item, read and written.
        tokens_total: tokens of all items.
        cost: money per item, in the currency of the prices.
        cost_total: money for all items.
    """

    latency_median: float | None = None
    latency_p95: float | None = None
    tokens: float | None = None
    tokens_total: float | None = None
    cost: float | None = None
    cost_total: float | None = None

    @classmethod
    def of(cls, run: RunData) -> "Usage":
        """Read the measures `latency`, `tokens` and `cost` of a run, over the items that have them."""
        seconds, tokens, cost = (_known(run, name) for name in (LATENCY, TOKENS, COST))
        facts: dict[str, float | None] = {}
        if len(seconds):
            facts |= {
                "latency_median": float(np.median(seconds)),
                "latency_p95": float(np.percentile(seconds, 95)),
            }
        for name, values in ((TOKENS, tokens), (COST, cost)):
            if len(values):
                facts |= {name: float(values.mean()), f"{name}_total": float(values.sum())}
        return cls(**facts)

    def to_dict(self) -> dict[str, Any]:
        """JSON data."""
        return {name: None if value is None else finite(value) for name, value in vars(self).items()}


def _known(run: RunData, name: str) -> Floats:
    """The known item scores of a measure; none if the run does not have it."""
    if name not in run.metrics or run.metrics[name].measure.item_score is None:
        return np.zeros(0)
    scores = run.metrics[name].scores
    return np.asarray(scores[np.isfinite(scores)], dtype=np.float64)
