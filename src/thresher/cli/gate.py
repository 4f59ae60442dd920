"""`thresher gate`."""

import argparse
import os
from pathlib import Path
from typing import Any

from thresher.cli import tables
from thresher.cli.show import remark, write
from thresher.errors import InputError, RunDirectoryError
from thresher.pipelines.run_directory import open_run
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.gates import GateOutcome, gate, parse, undecided
from thresher.reports.gates.annotations import annotations
from thresher.reports.gates.files import allowed_by, read_gate_file
from thresher.reports.gates.requirement import Quantity
from thresher.reports.html.report import html_report
from thresher.reports.rendering.text import json_text


def run(options: argparse.Namespace) -> int:
    """Hold a stored run against requirements."""
    files = {path: read_gate_file(path) for path in options.requirements}
    requirements = [*options.require, *(text for file in files.values() for text in file.requirements)]
    allowed = allowed_by(files) if options.allow_missing is None else options.allow_missing
    if not requirements:
        raise InputError("gate needs requirements: give --require or --requirements FILE")
    outcome = _decided(options, requirements, allowed)
    _show(outcome, options)
    return outcome.exit_code


def _decided(options: argparse.Namespace, requirements: list[str], allowed: float | str) -> GateOutcome:
    try:
        results = open_run(options.run)
        baseline = None if options.baseline is None else open_run(options.baseline)
    except RunDirectoryError as error:
        return undecided(options.run, requirements, str(error))
    kept: dict[str, Any] = {
        "cluster": options.cluster,
        "repeats": options.repeats,
        "verdicts": "always" if options.across_settings else "comparable",
    }
    margins = tables.margins(options.margin)
    outcome = gate(
        results,
        requirements,
        baseline=baseline,
        decide_by=options.decide,
        level=options.level,
        allow_missing=allowed,
        **kept,
        **margins,
    )
    if options.html is not None:
        shown = {**kept, **_accepted(requirements, margins)}
        page = {"level": options.level, "max_bytes": options.max_bytes}
        write(options.html, _page(results, baseline, outcome, shown, page))
    return outcome


def _page(
    run: EvaluationResults,
    baseline: EvaluationResults | None,
    outcome: GateOutcome,
    kept: dict[str, Any],
    page: dict[str, Any],
) -> str:
    """The HTML page: beside the baseline, if they share a metric."""
    if baseline is None or not set(run.metrics) & set(baseline.metrics):
        alone = {"cluster": kept["cluster"], "repeats": kept["repeats"]}
        return html_report([run], gate=outcome, **alone, **page)
    return html_report([baseline, run], gate=outcome, **kept, **page)


def _accepted(requirements: list[str], margins: dict[str, Any]) -> dict[str, Any]:
    """The margins of `no-regression`, so that the page's verdicts and the gate read a difference alike."""
    of_metric, of_all = dict(margins["margins"]), margins["margin"]
    for requirement in map(parse, requirements):
        if requirement.quantity is not Quantity.NO_REGRESSION or not (
            requirement.bar and requirement.bar.number
        ):
            continue
        of_metric |= dict.fromkeys(requirement.metrics, requirement.bar.tolerance)
        of_all = of_all if requirement.metrics else requirement.bar.tolerance
    return {"margins": of_metric, "margin": of_all}


def _show(outcome: GateOutcome, options: argparse.Namespace) -> None:
    write(options.output, _text(outcome, options.format))
    if options.output is not None:
        remark(outcome.summary)
    if options.junit is not None:
        write(options.junit, outcome.to_junit())
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in annotations(outcome):
            remark(line)
    _summarize(outcome)


def _text(outcome: GateOutcome, form: str) -> str:
    if form == "json":
        return json_text(outcome)
    if form == "markdown":
        return outcome.to_markdown()
    return outcome.to_junit() if form == "junit" else str(outcome)


def _summarize(outcome: GateOutcome) -> None:
    """Add to the summary of the job, where GitHub asks for one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as sink:
            sink.write(f"{outcome.to_markdown()}\n\n")
    except OSError as error:
        remark(f"thresher: the job's summary {path} cannot be written: {error.strerror}")
