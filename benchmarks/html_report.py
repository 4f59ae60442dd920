"""Size and speed of the HTML report, in Python and in a headless Chromium.

    python benchmarks/html_report.py [--items 10000 100000] [--runs 2] [--metrics 6] [--passages 5000]
        [--length 600] [--keep FOLDER]

The texts are real English: passages of the docstrings of installed packages. Each item has a question,
three passages of a collection of `--passages`, a reference, and an answer per run with `--metrics` scores.
Browser columns need chromium, chromedriver and selenium; without them they are left out.
"""

import argparse
import ast
import os
import random
import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from thresher import EvaluationResults
from thresher.reports.html import html_report

METRICS = (
    "faithfulness", "context_relevance", "token_f1", "rougeL", "semantic_similarity", "answer_relevance",
    "recall", "ndcg",
)  # fmt: skip
"""Graded metrics; one of zeros and ones comes last."""


def docstrings() -> Iterator[str]:
    """Docstrings of the standard library and of installed packages."""
    for folder in dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "stdlib")):
        for path in sorted(Path(folder).rglob("*.py")):
            try:
                tree = ast.parse(path.read_text(encoding="utf-8"))
            except (SyntaxError, ValueError, OSError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.Module):
                    text = ast.get_docstring(node)
                    if text and len(text) > 300:
                        yield text


def passages(count: int, length: int = 600) -> list[str]:
    """Distinct passages of about `length` characters."""
    found: dict[str, None] = {}
    for text in docstrings():
        for start in range(0, len(text) - length // 2, length):
            found.setdefault(text[start : start + length])
        if len(found) >= count:
            break
    return list(found)[:count]


def runs(items: int, number: int, corpus: list[str], metrics: int = 6) -> list[EvaluationResults]:
    """Runs over the same questions, each with its own answers, passages and scores."""
    rng = random.Random(1)
    about = [rng.randrange(len(corpus)) for _ in range(items)]
    shared = {
        "ids": [f"q{item:06d}" for item in range(items)],
        "questions": [f"What is meant by: {' '.join(corpus[at].split()[:12])}?" for at in about],
        "ground_truth_answers": [" ".join(corpus[at].split()[12:40]) for at in about],
        "language": [rng.choice(["de", "en", "fr"]) for _ in range(items)],
    }
    chosen = METRICS[: metrics - 1]
    return [run(name, corpus, about, shared, rng, metrics=chosen) for name in ascii_lowercase[:number]]


def run(
    name: str,
    corpus: list[str],
    about: list[int],
    shared: dict[str, Any],
    rng: random.Random,
    *,
    metrics: tuple[str, ...],
) -> EvaluationResults:
    """One run: two of three passages are close to the right one, one is random."""
    items = len(about)
    near = [[corpus[(at + step) % len(corpus)] for step in (0, 1)] for at in about]
    contexts = [[*pair, rng.choice(corpus)] for pair in near]
    answers = [" ".join(each[rng.randrange(3)].split()[: rng.randrange(10, 60)]) for each in contexts]
    scores = {metric: [round(rng.betavariate(4, 2), 6) for _ in range(items)] for metric in metrics}
    scores["exact_match"] = [float(rng.random() < 0.4) for _ in range(items)]
    scored = [{"name": metric, "scores": values, "bounds": [0, 1]} for metric, values in scores.items()]
    inputs = {**shared, "contexts": contexts, "predicted_answers": answers}
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": scored}, name=name)


def in_browser(path: Path) -> dict[str, float]:
    """Measure the time until items are ready, of a search, a sort and the slowest frame of scrolling."""
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        return {}
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from reports.html.browser import chromium

    told: dict[str, float] = {}
    with chromium() as driver:
        driver.get(path.as_uri())
        driver.execute_async_script(WHEN_READY)
        told["ready ms"] = driver.execute_script("return performance.getEntriesByName('ready')[0].startTime")
        told["nodes"] = driver.execute_script("return document.getElementsByTagName('*').length")
        told["heap MB"] = driver.execute_script("return performance.memory.usedJSHeapSize / 1e6")
        told["search ms"], told["again ms"], _ = driver.execute_async_script(SEARCH)
        told["sort ms"] = driver.execute_script(SORT)
        told["frame ms"] = driver.execute_async_script(SCROLL)
    return told


WHEN_READY = """const done = arguments[arguments.length - 1];
(function look() { performance.getEntriesByName('ready').length ? done() : setTimeout(look, 5); })();"""
SEARCH = """const done = arguments[arguments.length - 1], box = document.querySelector('input[type=search]');
const shown = document.getElementById('shown'), took = [];
function look(words, next) {
  const start = performance.now();
  new MutationObserver((_, observer) => {
    observer.disconnect(); took.push(performance.now() - start - 120); next();
  }).observe(shown, { childList: true });
  box.value = words; box.dispatchEvent(new Event('input'));
}
look('array', () => look('module', () => look('', () => done(took))));"""
SORT = """const start = performance.now();
[...document.querySelectorAll('.heads button')].at(-1).click();
return performance.now() - start;"""
SCROLL = """const done = arguments[arguments.length - 1], grid = document.querySelector('.grid');
let last = 0, worst = 0, frames = 0;
requestAnimationFrame(function next(now) {
  if (last) worst = Math.max(worst, now - last);
  last = now; grid.scrollTop += 700;
  ++frames < 60 ? requestAnimationFrame(next) : done(worst);
});"""


def main() -> None:
    """Print one line per number of items."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--items", type=int, nargs="+", default=[10_000, 100_000])
    options.add_argument("--runs", type=int, default=2, choices=range(2, 21))
    options.add_argument("--metrics", type=int, default=6, choices=range(2, 10))
    options.add_argument("--passages", type=int, default=5_000)
    options.add_argument("--length", type=int, default=600, help="characters of a passage")
    options.add_argument("--max-rows", type=int, default=10_000)
    options.add_argument("--max-bytes", type=int, default=5_000_000)
    options.add_argument("--keep", type=Path)
    given = options.parse_args()
    corpus = passages(given.passages, given.length)
    print(f"{len(corpus)} passages, {sum(map(len, corpus)) / 1e6:.1f} MB")
    folder = given.keep or Path(tempfile.mkdtemp())
    for items in given.items:
        made = runs(items, given.runs, corpus, given.metrics)
        start = time.perf_counter()
        text = html_report(made, max_rows=given.max_rows, max_bytes=given.max_bytes)
        took = time.perf_counter() - start
        path = folder / f"report-{items}.html"
        path.write_text(text, encoding="utf-8")
        told = {"size MB": len(text.encode()) / 1e6, "python s": took}
        told |= in_browser(path)
        print(f"{items} items:", ", ".join(f"{name} {value:.2f}" for name, value in told.items()))


if __name__ == "__main__":
    main()
