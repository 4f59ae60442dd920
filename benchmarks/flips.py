"""Flipped bits in the files of a run directory: detected, without effect, or with an effect.

    python benchmarks/flips.py [--flips 1500]

One bit at a random place of one file is changed, the run is opened, and everything that a report can show of
it (values, item scores, statuses, reasons, evidence, ids, inputs) is compared with the whole run. Files: a
small part, the same part with evidence of a judge, and `run.json`. The last column must be 0.
"""

import argparse
import os
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from thresher import EvaluationResults, RunDirectoryError, evaluate, open_run

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "one", "dog", "run", "by"]
ITEMS = 12
DETECTED, HARMLESS, EFFECT = "detected", "without effect", "with an effect"


def answers() -> dict[str, list[str]]:
    """Short answers and references."""
    rng = random.Random(1)
    texts = [[" ".join(rng.choices(WORDS, k=8)) for _ in range(ITEMS)] for _ in range(2)]
    ids = [f"q{number}" for number in range(ITEMS)]
    return {"id": ids, "question": [f"{key}?" for key in ids], "response": texts[0], "reference": texts[1]}


def judged() -> list[Any]:
    """A judged metric whose prepared replies leave evidence in the part."""
    from haystack.components.generators.chat import MockChatGenerator

    from thresher.components import ValorCoherenceEvaluator

    return [
        "token_f1",
        ValorCoherenceEvaluator(MockChatGenerator('{"reason": "clear", "rating": 4}', model="m")),
    ]


def visible(run: EvaluationResults) -> str:
    """Everything that a report can show of a run, as text that distinguishes NaN and -0.0."""
    results = [
        (
            {measure.name: list(result.item_scores(measure.name)) for measure in result.measures},
            result.status.tolist(),
            dict(result.reasons),
            result.evidence and list(result.evidence),
        )
        for result in run.results
    ]
    values = {name: metric.value for name, metric in run.metrics.items()}
    inputs = {name: list(column) for name, column in run.inputs.items()}
    return repr((values, results, list(run.ids), inputs, run.provenance))


def flipped(path: Path, run: Path, flips: int, seed: int) -> Counter[str]:
    """Count what single flipped bits of a file do."""
    whole, expected, rng = path.read_bytes(), visible(open_run(run)), random.Random(seed)
    counts: Counter[str] = Counter()
    for _ in range(flips):
        content = bytearray(whole)
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        try:
            counts[HARMLESS if visible(open_run(run)) == expected else EFFECT] += 1
        except RunDirectoryError as error:
            named = path.name in str(error)
            counts[DETECTED if named else "refused without the file's name"] += 1
    path.write_bytes(whole)
    return counts


def main() -> None:
    """Print the table; an error that does not name the file ends the script."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--flips", type=int, default=1500)
    flips = parser.parse_args().flips
    with tempfile.TemporaryDirectory() as folder:
        small, evidence = Path(folder, "small"), Path(folder, "evidence")
        evaluate("qa", answers(), out=small)
        evaluate(judged(), answers(), out=evidence)
        part = Path("parts", "part-00000.parquet")
        cases = {
            "part": (small / part, small),
            "part with evidence": (evidence / part, evidence),
            "run.json": (small / "run.json", small),
        }
        print(f"{'file':20}{'bytes':>8}{'flips':>8}{DETECTED:>12}{HARMLESS:>16}{EFFECT:>16}")
        for seed, (name, (path, run)) in enumerate(cases.items()):
            counts = flipped(path, run, flips, seed)
            size, known = path.stat().st_size, (counts[DETECTED], counts[HARMLESS])
            print(f"{name:20}{size:8}{flips:8}{known[0]:12}{known[1]:16}{flips - sum(known):16}")


if __name__ == "__main__":
    main()
