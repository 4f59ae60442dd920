"""`thresher demo`."""

import argparse
import shutil
import sys
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from textwrap import fill

from thresher.cli import demo_judged, tables
from thresher.cli.show import write
from thresher.datasets import read_dataset
from thresher.pipelines.runner import evaluate
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.rendering.text import plain_text, surrounded
from thresher.reports.table import Table
from thresher.reports.thresholds import percentiles as thresholds

RUNS = ("passages", "sentences")
METRICS = ("exact_match", "token_f1", "rouge", "hit_rate", "recall", "reciprocal_rank")
_SHOWN = ("id", "questions", "predicted_answers", "ground_truth_answers", "token_f1")


def run(options: argparse.Namespace) -> int:
    """Evaluate two ways of searching, compare them, show where the second fails, and let a judge judge."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.out or temporary)
        first, second = (_evaluated(name, folder / name) for name in RUNS)
        for results in (first, second):
            _say(
                f"{results.name}: answers and rankings, item by item against references",
                tables.aggregate(results)[0],
            )
        report = ComparisonReport([first, second])
        _say("Is `sentences` better than `passages`?  thresher compare", tables.compared(report))
        _weak(second)
        _judge(folder)
        write(None, f"\n{_next(options.out)}")
    return 0


def _next(out: str | None) -> str:
    """What a newcomer does now, as commands that work from here."""
    command = _command()
    first = (
        (f"{command} report {Path(out) / RUNS[1]} --format html -o report.html", "one run, for a browser")
        if out
        else (f"{command} demo --out runs/demo", "the same, and keep the runs")
    )
    steps = [
        first,
        (f"{command} list", "recipes and metrics, with the columns that they need"),
        (f"{command} run qa --data answers.jsonl", "your own answers: JSONL, CSV or Parquet"),
        (f"{command} run --help", "everything else, a judge among it"),
    ]
    width = max(len(step) for step, _ in steps)
    kept = [f"All runs are kept in {out}.\n"] if out else []
    return "\n".join([*kept, "What next?", *(f"  {step:<{width}}  {purpose}" for step, purpose in steps)])


def _command() -> str:
    """How the command is called from here: by its name, or where it was installed but is not on the path."""
    here = Path(sys.executable).with_name("thresher")
    if shutil.which("thresher") or not here.exists():
        return "thresher"
    return str(here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here)


def _judge(folder: Path) -> None:
    """The same answers judged, compared, and one verdict with its evidence."""
    first, second = (demo_judged.judged_run(name, folder / f"{name}-judged") for name in RUNS)
    write(None, f"\n{fill(demo_judged.about(), 100)}")
    _say("Judged: is `sentences` better than `passages`?", tables.compared(ComparisonReport([first, second])))
    told = demo_judged.worst_item(first)
    write(None, f"\nWhy is it low?  The judge on the worst answer of `passages`\n\n{told}")


def _evaluated(name: str, out: Path) -> EvaluationResults:
    with as_file(files("thresher.datasets") / "demo" / f"{name}.jsonl") as path:
        dataset = read_dataset(path)
    return evaluate(METRICS, dataset, name=name, out=out)


def _weak(results: EvaluationResults) -> None:
    """The items in the lowest quarter."""
    found = thresholds.percentiles(results, ["token_f1"])["token_f1"]
    _say("Where to put a bar?  thresher thresholds", thresholds.percentile_table(results, ["token_f1"]))
    below = thresholds.below(results, "token_f1", found[0])
    table = Table(_SHOWN, ([row[column] for column in _SHOWN] for row in below))
    _say(f"Where does it fail?  thresher inputs-below --metric token_f1 --threshold {found[0]:.3f}", table)


def _say(title: str, table: Table) -> None:
    write(None, f"\n{title}\n\n{surrounded(table, plain_text(tables.fitted(table), width=44))}")
