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
from thresher.components import RougeEvaluator
from thresher.datasets import read_dataset
from thresher.pipelines.runner import evaluate
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.rendering.registry import write_text
from thresher.reports.rendering.terminal import fitted_text, fitting
from thresher.reports.rendering.text import surrounded
from thresher.reports.report import Report, TableReport
from thresher.reports.thresholds.percentiles import below, percentile_report

RUNS = ("passages", "sentences")
_QUESTION = (
    "Two ways to search 16 passages about bicycles with BM25, asked the same 24 questions. `passages` "
    "retrieves whole passages and answers with the first sentence of the best one; `sentences` retrieves "
    "single sentences and answers with the best one. Is `sentences` better?"
)
_DATA = "data"
"""Folder of the data in `--out`."""
_SHOWN = ("id", "questions", "predicted_answers", "ground_truth_answers", "token_f1")
_WORST = 3
"""Number of worst items listed."""
_COLUMNS = "question, response, reference"


def metrics() -> list[Any]:
    """The metrics of the demo: two of answers and two of rankings."""
    return [
        "token_f1",
        RougeEvaluator(rouge_types=["rougeL"]),
        "retrieval_recall",
        "retrieval_reciprocal_rank",
    ]


def run(options: argparse.Namespace) -> int:
    """Evaluate, compare and judge two runs, and list the items where the second scores low."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.out or temporary)
        if options.out:
            _store_data(folder / _DATA)
        first, second = (_evaluated(name, folder / name) for name in RUNS)
        write(None, f"\n{fill(_QUESTION, 100)}")
        _say("thresher compare passages sentences", ComparisonReport([first, second]))
        _weak(second)
        _judge(folder)
        write(None, f"\n{_next(options.out)}")
    return 0


def _store_data(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in RUNS:
        text = (files("thresher.datasets") / "demo" / f"{name}.jsonl").read_text(encoding="utf-8")
        write_text(folder / f"{name}.jsonl", text)


def _next(out: str | None) -> str:
    """Commands for the next steps, which work in the current directory."""
    command, folder = _command(), Path(out or "demo")
    data = folder / _DATA / f"{RUNS[1]}.jsonl"
    first = (
        (f"{command} report {folder / RUNS[1]} -o report.html", "one run, for a browser")
        if out
        else (f"{command} demo --out {folder}", f"store runs and data in {folder}")
    )
    steps = [
        first,
        (f"{command} run qa --data {data}", f"then with a file of your own: {_COLUMNS}"),
        (f"{command} list", "recipes and metrics, with the columns that each needs"),
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
    _say("thresher compare passages-judged sentences-judged", ComparisonReport([first, second]))
    evidence = demo_judged.worst_item(first)
    write(None, f"\nThe judge on the worst answer of `passages`\n\n{evidence}")


def _evaluated(name: str, out: Path) -> EvaluationResults:
    with as_file(files("thresher.datasets") / "demo" / f"{name}.jsonl") as path:
        dataset = read_dataset(path)
    return evaluate(metrics(), dataset, name=name, out=out)


def _weak(results: EvaluationResults) -> None:
    """Show the worst items below the lower quartile."""
    quartile = percentile_report(results, ["token_f1"]).default()["token_f1"][0]
    worst = below(results, "token_f1", quartile).select(_SHOWN)
    title = (
        f"thresher inputs-below sentences --metric token_f1 --threshold {quartile:.3f} --max-rows {_WORST}"
    )
    _say(title, TableReport.of(worst[:_WORST]))


def _say(title: str, report: Report[Any]) -> None:
    table = fitting(report.layouts())
    write(None, f"\n{title}\n\n{surrounded(table, fitted_text(table, width=44))}")
