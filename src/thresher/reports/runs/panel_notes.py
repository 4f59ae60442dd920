"""Sentences about panels of judges: agreement, bias and coverage of each judge."""

import math
from collections.abc import Sequence
from typing import Any

from thresher.counted import counted
from thresher.kernels.inference.panel_tables import PanelAgreement, PanelJudges
from thresher.reports.runs.run_data import RunData
from thresher.results import Detail, MetricResult

_NAMES = {
    "unanimous": "share of unanimous votes",
    "fleiss_kappa": "Fleiss' kappa",
    "krippendorff_alpha_nominal": "Krippendorff's alpha",
    "krippendorff_alpha_ordinal": "ordinal alpha",
    "krippendorff_alpha_interval": "interval alpha",
}


def panel_notes(run: RunData, metrics: Sequence[str]) -> list[str]:
    """One sentence for each of the metrics with a panel of judges; equal panels of a metric once."""
    results = {run.metrics[name].result.name: run.metrics[name].result for name in metrics}
    sentences = [(name, _sentence(result)) for name, result in results.items() if result.n_scored]
    return [f"{name}: {sentence}" for name, sentence in sentences if sentence]


def _sentence(result: MetricResult) -> str:
    """The sentence about a result; empty without a panel."""
    details = {
        type(breakdown): result.detail(breakdown.name)
        for breakdown in result.breakdowns
        if isinstance(breakdown, PanelJudges | PanelAgreement)
    }
    if PanelJudges not in details:
        return ""
    rows = list(details[PanelJudges].rows())
    judges = "; ".join(_judge(row) for row in rows)
    return f"{counted(len(rows), 'judge')}, {_agreement(details[PanelAgreement])}. Bias: {judges}."


def _agreement(detail: Detail) -> str:
    """Coefficients of all judges; those of pairs are in the table."""
    parts = [
        f"{_NAMES[row['coefficient']]} {row['value']:.2f}"
        for row in detail.rows()
        if row["judges"] == "all" and not math.isnan(row["value"])
    ]
    return ", ".join(parts) if parts else "no votes on the same subject"


def _judge(row: dict[str, Any]) -> str:
    """Name, bias and, if votes are missing, coverage of a judge.

    >>> _judge({"judge": "a", "bias": -1e-9, "coverage": 1.0})
    'a +0.000'
    """
    bias = "no votes" if math.isnan(row["bias"]) else f"{round(row['bias'], 3) + 0.0:+.3f}"
    covered = f" ({row['coverage']:.0%} of its votes)" if row["coverage"] < 1 else ""
    return f"{row['judge']} {bias}{covered}"
