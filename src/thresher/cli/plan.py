"""`thresher plan`."""

import argparse
from dataclasses import replace

from thresher.cli import asking
from thresher.cli.show import show
from thresher.cli.source import pipeline_and_data
from thresher.errors import InputError
from thresher.pipelines.run_directory import open_run
from thresher.pipelines.run_estimate import estimate_run
from thresher.reports.plans import Use, plan


def run(options: argparse.Namespace) -> int:
    """Show how many items a comparison needs, and what they take."""
    planned = plan(
        options.difference,
        pilot=None if options.pilot is None else [open_run(path) for path in options.pilot],
        metric=options.metric,
        sd=options.sd,
        rates=options.rates,
        same=options.same,
        reach=options.range,
        level=options.level,
        power=options.power,
        cluster=options.cluster,
        repeats=options.repeats,
    )
    if options.recipe is not None:
        planned = replace(planned, use=_use(options))
    elif options.data is not None or options.price is not None:
        raise InputError("--data and --price are for the calls of --recipe: add --recipe, or remove them")
    show(options, planned.report())
    return 0


def _use(options: argparse.Namespace) -> Use | None:
    """What an item takes with a recipe, estimated from data without calling a model."""
    from thresher.cli.parser import parser  # it imports the options of all commands

    if options.data is None:
        raise InputError("--recipe needs --data FILE, some items to estimate its calls from")
    judge = [] if options.judge_model is None else ["--judge-model", options.judge_model]
    estimating = parser().parse_args(["estimate", options.recipe, "--data", options.data, *judge])
    pipeline, items = pipeline_and_data(estimating)
    asking.choose_judge(estimating, pipeline)
    calls, prices = estimate_run(pipeline, items).calls, asking.prices(options)
    cost = calls.cost(prices) / len(items) if prices else None
    return Use(calls.calls / len(items), cost) if calls.calls else None
