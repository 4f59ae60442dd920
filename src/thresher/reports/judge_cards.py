"""Cards of judges: the probe of a judge as a run, and its summary for the provenance of other runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.judges import ProbeReport
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.run_report import RunReport


def judge_card(report: ProbeReport) -> EvaluationResults:
    """Return a probe as a run with one item per claim and per answer without content.

    Items of one case are a cluster. Reports, gates, comparisons and files are those of every run.
    """
    return EvaluationResults(
        report.inputs, report.results, name=report.model, provenance={"judge": dict(report.judge)}
    )


def card_entry(card: EvaluationResults | str | Path) -> dict[str, Any]:
    """Return the summary of a card that the provenance of a run contains.

    Args:
        card: the card, or its file.

    Returns:
        `judge`: model and settings as requested; `name`: the model as the provider names it; `measures`: name
        -> value, `low`, `high` and scored `items`, None where the judge has no score.

    Raises:
        InputError: if the file cannot be read, or holds no card.
    """
    results = card if isinstance(card, EvaluationResults) else EvaluationResults.load(card)
    judge: Any = results.provenance.get("judge")
    match judge:
        case {"model": str(), "settings": Mapping()}:
            pass
        case _:
            where = results.name if isinstance(card, EvaluationResults) else card
            raise InputError(f"{where} is not a judge's card; write one with thresher probe --out FILE.json")
    measures = {name: _measure(facts) for name, facts in RunReport(results).data()["metrics"].items()}
    return {"judge": dict(judge), "name": results.name, "measures": measures}


def _measure(facts: Mapping[str, Any]) -> dict[str, Any]:
    ends = {end: (facts["interval"] or {}).get(end) for end in ("low", "high")}
    return {"value": facts["value"] if facts["scored"] else None, **ends, "items": facts["scored"]}
