"""`thresher gate`."""

import argparse
import os
from typing import Any

from thresher.cli.option_values import margins as margins_of
from thresher.cli.show import chosen_name, remark, show, write
from thresher.errors import DiskFullError, InputError, RunDirectoryError
from thresher.files.writing import append_text
from thresher.pipelines.run_directory import open_run
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.gates import GateOutcome, gate, parse, undecided
from thresher.reports.gates.files import allowed_by, chosen_by, place_of, read_gate_file
from thresher.reports.gates.quantities.no_regression import NoRegression
from thresher.reports.gates.renderers import RENDERERS
from thresher.reports.html.report import html_report
from thresher.surface import written_in
from thresher.visible_text import one_line


def run(options: argparse.Namespace) -> int:
    """Check a stored run against requirements."""
    requirements, settings, places = required(options)
    if not requirements:
        raise InputError("gate needs requirements: give --require or --requirements FILE")
    with written_in(places):
        outcome = _outcome(options, requirements, settings)
    _show(outcome, options)
    return outcome.exit_code


def required(options: argparse.Namespace) -> tuple[list[str], dict[str, Any], dict[str, str]]:
    """Return the requirements of the options and their files, and the settings that a file may have.

    Returns:
        The requirements, the settings, and by name of a setting the file that it is from.
    """
    files = {path: read_gate_file(path) for path in options.requirements}
    requirements = [*options.require, *(text for file in files.values() for text in file.requirements)]
    allowed = allowed_by(files) if options.allow_missing is None else options.allow_missing
    stated = getattr(options, "choose_on", None)  # `thresher probe` has no such option
    place = place_of(files, "choose_on") if stated is None else None
    settings = {"allow_missing": allowed, "choose_on": chosen_by(files) if stated is None else stated}
    return requirements, settings, {} if place is None else {"choose_on": place}


def _outcome(options: argparse.Namespace, requirements: list[str], settings: dict[str, Any]) -> GateOutcome:
    try:
        results = open_run(options.run)
        baseline = None if options.baseline is None else open_run(options.baseline)
    except RunDirectoryError as error:
        return undecided(options.run, requirements, str(error))
    analysis: dict[str, Any] = {
        "cluster": options.cluster,
        "repeats": options.repeats,
        "verdicts": "always" if options.across_settings else "comparable",
    }
    margins = margins_of(options.margin)
    outcome = gate(
        results,
        requirements,
        baseline=baseline,
        decide_by=options.decide,
        level=options.level,
        **settings,
        **analysis,
        **margins,
    )
    if options.html is not None:
        analysis |= _accepted_margins(requirements, margins)
        page = {"level": options.level, "max_bytes": options.max_bytes}
        write(options.html, _page(results, baseline, outcome, analysis, page))
    return outcome


def _page(
    run: EvaluationResults,
    baseline: EvaluationResults | None,
    outcome: GateOutcome,
    analysis: dict[str, Any],
    page: dict[str, Any],
) -> str:
    """The HTML page: a comparison with the baseline if they share a metric, else the run alone."""
    if baseline is None or not set(run.metrics) & set(baseline.metrics):
        alone = {"cluster": analysis["cluster"], "repeats": analysis["repeats"]}
        return html_report([run], gate=outcome, **alone, **page)
    return html_report([baseline, run], gate=outcome, **analysis, **page)


def _accepted_margins(requirements: list[str], margins: dict[str, Any]) -> dict[str, Any]:
    """Return the margins of `no-regression`, so that verdicts of the page agree with the gate."""
    by_metric, margin = dict(margins["margins"]), margins["margin"]
    for quantity in (parse(text).quantity for text in requirements):
        if not isinstance(quantity, NoRegression) or not quantity.margin:
            continue
        by_metric |= dict.fromkeys(quantity.metrics, quantity.margin)
        margin = margin if quantity.metrics else quantity.margin
    return {"margins": by_metric, "margin": margin}


def _show(outcome: GateOutcome, options: argparse.Namespace) -> None:
    if options.junit is not None:  # first: without room for it, no outcome is printed
        write(options.junit, outcome.to_junit())
    form = chosen_name(options)
    if form in RENDERERS and not options.raw:
        write(options.output, outcome.render(form))
    else:
        show(options, outcome.report())
    if options.output is not None or form not in RENDERERS:
        remark(one_line(outcome.summary))
    if os.environ.get("GITHUB_ACTIONS") == "true" and not outcome.passed:
        remark(outcome.render("github"))
    _summarize(outcome)


def _summarize(outcome: GateOutcome) -> None:
    """Append the Markdown to the summary of a GitHub job."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        append_text(path, f"{outcome.to_markdown()}\n\n")
    except (InputError, DiskFullError) as error:
        remark(f"thresher: the job's summary {error}")
