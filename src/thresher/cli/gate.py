"""`thresher gate`."""

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from thresher.cli.option_values import margins as margins_of
from thresher.cli.option_values import with_stated_bounds
from thresher.cli.show import chosen_name, remark, show, write
from thresher.errors import DiskFullError, InputError, RunDirectoryError
from thresher.files.stores import is_url
from thresher.files.writing import append_text
from thresher.pipelines.run_directory import open_run
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.gates import GateOutcome, gate, parse, undecided
from thresher.reports.gates.files import allowed_by, chosen_by, place_of, read_gate_file
from thresher.reports.gates.history import GateHistory, GateRecord, averaged, run_key
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
    history, run = _history(options, baseline), results
    notes: list[str] = []
    if baseline is not None:
        results, notes = _with_reruns(options, results, baseline, history)
    bounded = with_stated_bounds(options, [results] if baseline is None else [results, baseline])
    results, baseline = bounded[0], bounded[1] if baseline is not None else None
    level = _level(options)
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
        level=level,
        **settings,
        **analysis,
        **margins,
    )
    if (
        history is not None
        and baseline is not None
        and any(one.difference is not None for one in outcome.decisions)
    ):
        record = GateRecord.of(run, baseline, Path(options.run).resolve().name, outcome)
        notes += history.notes(record, level, options.commits)
        try:
            history.add(record)
        except (InputError, DiskFullError) as error:
            remark(f"thresher: this gate is not recorded: {error}")
    outcome = replace(outcome, notes=(*outcome.notes, *notes))
    if options.html is not None:
        analysis |= _accepted_margins(requirements, margins)
        page = {"level": level, "max_bytes": options.max_bytes}
        write(options.html, _page(results, baseline, outcome, analysis, page))
    return outcome


def _history(options: argparse.Namespace, baseline: EvaluationResults | None) -> GateHistory | None:
    """The earlier gates next to a run directory; None for other runs, and on request."""
    if options.no_record or baseline is None or is_url(options.run) or not Path(options.run).is_dir():
        return None
    return GateHistory.of(Path(options.run).resolve().parent)


def _with_reruns(
    options: argparse.Namespace,
    run: EvaluationResults,
    baseline: EvaluationResults,
    history: GateHistory | None,
) -> tuple[EvaluationResults, list[str]]:
    """The run, averaged with its reruns, and what to know of them."""
    if options.rerun:
        return averaged(run, [open_run(path) for path in options.rerun])
    if history is None:
        return run, []
    known = history.reruns(GateRecord.of(run, baseline, "", undecided("", (), "")))
    found = [_rerun(run, history.folder / one.place, one.run) for one in known]
    average, notes = averaged(run, [other for other in found if other is not None])
    lost = [one.place for one, other in zip(known, found, strict=True) if other is None]
    if lost:
        gone = f"Earlier runs of this commit are gone ({', '.join(lost)})"
        notes.append(f"{gone}: give each run its own folder, so that reruns are averaged.")
    return average, notes


def _rerun(run: EvaluationResults, folder: Path, key: str) -> EvaluationResults | None:
    """An earlier run of the same system; None if it was replaced, or cannot be averaged with this one."""
    try:
        other = open_run(folder)
        averaged(run, [other])
    except (InputError, RunDirectoryError):
        return None
    return other if run_key(other) == key else None


def _level(options: argparse.Namespace) -> float:
    """The level of the gate, also from the false alarms that a year may have.

    A run fails where a loss is shown, which is one side of an interval.
    """
    alarms = options.false_alarms_per_year
    if alarms is None:
        return float(options.level)
    if "level" in vars(options).get("_given", {}):
        raise InputError("--level and --false-alarms-per-year both set the level: remove one of them")
    if not 0 < alarms < options.commits / 4:
        raise InputError(
            f"--false-alarms-per-year {alarms:g}: give a number above 0 and below a quarter of --commits, "
            f"{options.commits / 4:g}"
        )
    return 1 - 2 * float(alarms) / float(options.commits)


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
