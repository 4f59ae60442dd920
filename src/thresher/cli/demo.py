"""`thresher demo`."""

import argparse
import shutil
import sys
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from textwrap import fill
from typing import Any

from thresher.cli import demo_judged
from thresher.cli.show import write
from thresher.datasets import read_dataset
from thresher.pipelines.runner import evaluate
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.rendering.terminal import fitting
from thresher.reports.rendering.text import plain_text, surrounded
from thresher.reports.report import Report, TableReport
from thresher.reports.runs.run_report import RunReport
from thresher.reports.thresholds.percentiles import below, percentile_report

RUNS = ("passages", "sentences")
_RANKED = ("hit_rate", "recall", "reciprocal_rank")
METRICS = ("exact_match", "token_f1", "rouge", *(f"retrieval_{name}" for name in _RANKED))
_SHOWN = ("id", "questions", "predicted_answers", "ground_truth_answers", "token_f1")


def run(options: argparse.Namespace) -> int:
    """Evaluate, compare and judge two runs, and list the items where the second scores low."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.out or temporary)
        first, second = (_evaluated(name, folder / name) for name in RUNS)
        for results in (first, second):
            _say(
                f"{results.name}: answers and rankings, item by item against references",
                RunReport(results),
            )
        _say("Is `sentences` better than `passages`?  thresher compare", ComparisonReport([first, second]))
        _weak(second)
        _judge(folder)
        write(None, f"\n{_next(options.out)}")
    return 0


def _next(out: str | None) -> str:
    """Commands for the next steps, which work in the current directory."""
    command = _command()
    first = (
        (f"{command} report {Path(out) / RUNS[1]} --format html -o report.html", "one run, for a browser")
        if out
        else (f"{command} demo --out runs/demo", "the same, and store the runs")
    )
    steps = [
        first,
        (f"{command} list", "recipes and metrics, with the columns that each needs"),
        (f"{command} run qa --data answers.jsonl", "your own answers: JSONL, CSV or Parquet"),
        (f"{command} run --help", "all options, for example of judges"),
    ]
    width = max(len(step) for step, _ in steps)
    stored = [f"The runs are stored in {out}.\n"] if out else []
    return "\n".join([*stored, "What next?", *(f"  {step:<{width}}  {purpose}" for step, purpose in steps)])


def _command() -> str:
    """The command as a user types it: its name, or its path if the name is not on PATH."""
    here = Path(sys.executable).with_name("thresher")
    if shutil.which("thresher") or not here.exists():
        return "thresher"
    return str(here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here)


def _judge(folder: Path) -> None:
    """Judge the same answers, compare the runs, and show the evidence of one verdict."""
    first, second = (demo_judged.judged_run(name, folder / f"{name}-judged") for name in RUNS)
    write(None, f"\n{fill(demo_judged.about(), 100)}")
    _say("Judged: is `sentences` better than `passages`?", ComparisonReport([first, second]))
    evidence = demo_judged.worst_item(first)
    write(None, f"\nWhy is it low?  The judge on the worst answer of `passages`\n\n{evidence}")


def _evaluated(name: str, out: Path) -> EvaluationResults:
    with as_file(files("thresher.datasets") / "demo" / f"{name}.jsonl") as path:
        dataset = read_dataset(path)
    return evaluate(METRICS, dataset, name=name, out=out)


def _weak(results: EvaluationResults) -> None:
    """Show the items below the lower quartile."""
    percentiles = percentile_report(results, ["token_f1"])
    _say("Which threshold?  thresher thresholds", percentiles)
    quartile = percentiles.default()["token_f1"][0]
    worst = TableReport.of(below(results, "token_f1", quartile).select(_SHOWN))
    _say(f"Where does it fail?  thresher inputs-below --metric token_f1 --threshold {quartile:.3f}", worst)


def _say(title: str, report: Report[Any]) -> None:
    table = fitting(report.layouts())
    write(None, f"\n{title}\n\n{surrounded(table, plain_text(table, width=44))}")
