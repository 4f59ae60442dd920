"""`thresher leaderboard`."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from thresher.cli.option_values import with_stated_bounds
from thresher.cli.show import remark, show
from thresher.errors import InputError
from thresher.pipelines.run_search import StoredRuns
from thresher.reports.leaderboards.leaderboard import LeaderboardReport
from thresher.reports.leaderboards.options import LeaderboardOptions

_WEIGHTS = "write measures with numbers, as in faithfulness=0.7,token_f1=0.3"
_REFERENCE = "write the ends of a scale, as in latency=0,10"


def run(options: argparse.Namespace) -> int:
    """Show the leaderboard of stored runs; nothing is computed again."""
    weights = None if options.weights is None else _weights(options.weights)
    references = dict(_reference(text) for text in options.reference)
    stored = StoredRuns.of(options.runs)
    for line in stored.skipped:
        remark(f"thresher: {line}")
    chosen = LeaderboardOptions(
        primary=options.primary,
        baseline=None if options.baseline is None else _baseline(options.baseline, stored),
        pairs=options.pairs,
        weights=weights,
        references=references or None,
        letters=options.letters,
        level=options.level,
        cluster=options.cluster,
        repeats=options.repeats,
        verdicts="always" if options.across_settings else "comparable",
        most_missing=options.most_missing,
    )
    named = stored.named()
    runs = dict(zip(named, with_stated_bounds(options, list(named.values())), strict=True))
    show(options, LeaderboardReport(runs, chosen))
    return 0


def _baseline(text: str, stored: StoredRuns) -> str:
    """The name of the run that the option names, by its name, its folder or its path."""
    names = list(stored.named())
    if text in names:
        return text
    for name, run in zip(names, stored.runs, strict=True):
        if text in (run.name, run.place) or Path(text).resolve() == Path(run.path).resolve():
            return name
    return text


def _weights(text: str) -> Mapping[str, float]:
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.rpartition("="))
        if not name or name in weights:
            raise InputError(f"--weights {text}: {part!r} is not a measure with a weight; {_WEIGHTS}")
        weights[name] = _number(number, f"--weights {text}", _WEIGHTS)
    return weights


def _reference(text: str) -> tuple[str, tuple[float, float]]:
    name, _, ends = text.rpartition("=")
    numbers: Sequence[str] = ends.split(",")
    if not name.strip() or len(numbers) != 2:  # noqa: PLR2004
        raise InputError(f"--reference {text}: {_REFERENCE}")
    low, high = (_number(number, f"--reference {text}", _REFERENCE) for number in numbers)
    return name.strip(), (low, high)


def _number(text: str, option: str, remedy: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option}: {text!r} is not a number; {remedy}") from None
