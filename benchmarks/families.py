"""Effect of testing few primary measures: errors between equal systems, power to detect one difference.

python benchmarks/families.py [--sets 1000]

Two systems are compared by the reports that users get, on measures whose differences per item are normal
with correlation 0.3. Errors: none of 8 measures differs, and some verdict is `better` or `worse`. Power:
the primary one of 30 measures differs by 0.3 standard deviations of its differences and is called
`better`, tested alone or among all 30. The same of slices of one run with 22 measures, correlated 0.6, in
reports that test the primary measure or all. Every share has its 95 % interval.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import interval
from thresher.reports.analysis import Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.slices.slice_report import SliceReport
from thresher.results import recorded_result
from thresher.results.primary import choose_primary

MEASURES = 30
EQUAL = 8
SLICED = 22
SLICED_CORRELATION = 0.6
SLICE_EFFECT = 0.5
CORRELATION = 0.3
EFFECT = 0.3
NAMES = [f"m{number}" for number in range(MEASURES)]
LIMITS = (0.025, 0.07)
"""Limits of the share of equal systems with a false verdict; Holm's bound is 0.05."""

Floats = npt.NDArray[np.float64]


def reports(
    sets: int, items: int, primary: Sequence[str], effect: float = 0.0, measures: int = EQUAL
) -> Iterator[ComparisonReport]:
    """Compare simulated runs; the first measure is better by `effect` standard deviations."""
    rng = np.random.default_rng(20240403)
    for _ in range(sets):
        common = rng.normal(0, CORRELATION**0.5, (1, items))
        changes = common + rng.normal(0, (1 - CORRELATION) ** 0.5, (measures, items))
        changes[0] += effect
        first = rng.normal(0, 1, (measures, items))
        yield ComparisonReport([run("a", first, primary), run("b", first + changes, primary)])


def run(name: str, scores: Floats, primary: Sequence[str]) -> EvaluationResults:
    """A run with one metric per row of scores."""
    results = [recorded_result(each, row.tolist()) for each, row in zip(NAMES, scores, strict=False)]
    return EvaluationResults(
        {"id": list(range(scores.shape[1]))}, choose_primary(results, primary), name=name
    )


def false_verdict(report: ComparisonReport) -> bool:
    """Whether any measure has the verdict better or worse."""
    return any(row.verdict in ("better", "worse") for row in report.rows)


def found(report: ComparisonReport) -> bool:
    """Whether the first measure has the verdict better."""
    return next(row.verdict for row in report.rows if row.metric == NAMES[0]) == "better"


def share(hits: Sequence[bool]) -> str:
    """A share in percent with its 95 % interval."""
    limits = interval(recorded_result("share", np.array(hits, dtype=float), bounds=(0, 1)))
    around = "" if limits is None else f" [{limits.low:.1%}, {limits.high:.1%}]"
    return f"{np.mean(hits):6.1%}{around}"


def errors(sets: int) -> bool:
    """Print the shares of equal systems with a false verdict; return whether all are within the limits."""
    within = True
    for primaries in (1, 2, 5):
        for items in (60, 200):
            hits = [false_verdict(each) for each in reports(sets, items, NAMES[:primaries])]
            within = within and LIMITS[0] <= float(np.mean(hits)) <= LIMITS[1]
            print(f"{primaries} primary of {EQUAL}, {items:3} items: some false verdict {share(hits)}")
    return within


def power(sets: int) -> None:
    """Print how often one real difference is detected."""
    for items in (50, 100, 200):
        alone = [found(each) for each in reports(sets, items, NAMES[:1], EFFECT, MEASURES)]
        among = [found(each) for each in reports(sets, items, NAMES, EFFECT, MEASURES)]
        print(
            f"{items:3} items: found as the primary measure {share(alone)}, among {MEASURES} {share(among)}"
        )


def sliced(sets: int, items: int, parts: int, effect: float) -> Iterator[EvaluationResults]:
    """Simulated runs whose first slice is worse by `effect` standard deviations; half of them have rates."""
    rng = np.random.default_rng(20240403)
    slices = np.arange(items) % parts
    for number in range(sets):
        common = rng.normal(0, SLICED_CORRELATION**0.5, (1, items))
        scores = common + rng.normal(0, (1 - SLICED_CORRELATION) ** 0.5, (SLICED, items))
        scores -= effect * (slices == 0)
        shares = (scores > -0.5).astype(float) if number % 2 else 1 / (1 + np.exp(-scores))
        results = [
            recorded_result(name, row.tolist(), bounds=(0, 1))
            for name, row in zip(NAMES, shares, strict=False)
        ]
        columns = {"id": list(range(items)), "part": slices.tolist()}
        yield EvaluationResults(columns, choose_primary(results, NAMES[:1]), name="a")


def slice_verdicts(run: EvaluationResults, tests: Sequence[str] | None) -> list[str | None]:
    """The verdicts of a report that tests the primary measure, or the named ones, those of slice 0 first."""
    report = SliceReport(run, "part", Analysis(metrics=tests))
    named = [row for row in report.rows if (row.measure, row.name) == (NAMES[0], "part = 0")]
    return [report.verdict(row) for row in (*named, *report.rows)]


def slices(sets: int) -> bool:
    """Print errors and power of reports on slices; return whether the errors are within the limits."""
    within = True
    for items in (60, 200):
        for parts in (2, 4):
            print(f"{items:3} items in {parts} slices")
            for tests, words in ((None, "primary measure"), (NAMES[:SLICED], f"all {SLICED}")):
                equal = [slice_verdicts(run, tests) for run in sliced(sets, items, parts, 0.0)]
                hits = [any(one in ("better", "worse") for one in verdicts) for verdicts in equal]
                real = sliced(sets * 2 // 5, items, parts, SLICE_EFFECT)
                detected = [slice_verdicts(run, tests)[0] == "worse" for run in real]
                within = within and (tests is not None or LIMITS[0] <= float(np.mean(hits)) <= LIMITS[1])
                print(f"  {words}: some false verdict {share(hits)}, worse slice {share(detected)}")
    return within


def main() -> int:
    """Print the tables of docs/statistics.md; return 1 if an error share is outside its limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000)
    sets = parser.parse_args().sets
    within = errors(sets)
    power(sets)
    within = slices(sets) and within
    if not within:
        print(f"a share of false verdicts is outside {LIMITS[0]:.1%} to {LIMITS[1]:.1%}", file=sys.stderr)
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
