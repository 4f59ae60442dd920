"""`thresher estimate`."""

import argparse

from thresher.cli import asking
from thresher.cli.show import show
from thresher.cli.source import pipeline_and_data
from thresher.pipelines.judged import estimate, judged_components
from thresher.pipelines.plan import Plan
from thresher.reports.report import TableReport
from thresher.reports.table import Table

_NOTE = "Assumes that every verdict is yes and every sentence is one statement; retries are not included."
_NONE = "No metric of this pipeline calls a judge."


def run(options: argparse.Namespace) -> int:
    """Show the calls, tokens and cost of a run without calling a model."""
    pipeline, dataset = pipeline_and_data(options)
    asking.choose_judge(options, pipeline)
    plan = Plan.of(pipeline, dataset)
    counted = estimate(plan.pipeline, plan.data(dataset.slice(0, len(dataset)).columns))
    prices = asking.prices(options)
    data = counted.to_dict() | {"cost": counted.cost(prices) if prices else None}
    rows: list[tuple[str, object]] = [("calls", counted.calls), ("tokens sent", counted.prompt_tokens)]
    rows += [("tokens received", counted.completion_tokens)]
    rows += [("cost", f"{data['cost']:.4f}")] if prices else []
    rows += [(f"calls of {name}", calls) for name, calls in sorted(counted.prompts.items())]
    report = TableReport.of(Table(["quantity", "estimate"], rows), data=data)
    show(options, report, [_NOTE if judged_components(pipeline) else _NONE])
    return 0
