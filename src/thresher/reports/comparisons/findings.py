"""Findings of a comparison: whole sentences under its table."""

from collections.abc import Sequence

from thresher.counted import counted
from thresher.kernels.inference import Verdict
from thresher.kernels.inference.verdict_sentence import WORDS
from thresher.reports.comparisons.comparison_row import WITHHELD, ComparisonRow

_EXPLAINED = ("inconclusive", "likely better", "likely worse", "unless", "unchanged")
_MOST = 8
"""Number of inconclusive differences with a sentence; the table has all of them."""


def reading(rows: Sequence[ComparisonRow], tests: int) -> list[str]:
    """One sentence per run, what inconclusive differences rule out, the tests and what was not tested.

    Args:
        rows: all rows; the sentences are about those that are tested.
        tests: for how many tests p-values are corrected.
    """
    tested = [row for row in rows if row.tested]
    runs = dict.fromkeys(row.run for row in tested)
    sentences = [_of_run([row for row in tested if row.run == run]) for run in runs]
    sentences += _open_questions(rows, many=len(runs) > 1)
    if tests > 1:
        sentences.append(
            f"Verdicts are corrected for all {counted(tests, 'test')} made here (Holm); intervals are not."
        )
    names = list(dict.fromkeys(row.metric for row in rows if not row.tested))
    return [*sentences, *secondary_sentences(names)]


def secondary_sentences(names: Sequence[str]) -> list[str]:
    """Which measures are not tested, and how to test one; no sentence without any."""
    if not names:
        return []
    shown = ", ".join(names) if len(names) <= _NAMED else counted(len(names), "measure")
    return [f"Secondary, shown without a verdict: {shown}; --metric NAME (metrics=) tests what it names."]


_NAMED = 4
"""Number of secondary measures that the sentence names; the table lists them all."""


def _of_run(rows: Sequence[ComparisonRow]) -> str:
    """One sentence: where a run is better, worse or inconclusive, and what has no verdict."""
    named: dict[str, list[str]] = {words.summary: [] for words in WORDS.values()}
    for row in rows:
        if row.verdict is not None:
            named[WORDS[Verdict(row.verdict)].summary].append(_name(row))
    parts = [f"{words} {', '.join(names)}" for words, names in named.items() if names]
    parts += [*_not_judged(rows, alone=not parts), *_not_compared(rows)]
    return f"{rows[0].run} against {rows[0].baseline}: {'; '.join(parts)}."


def _open_questions(rows: Sequence[ComparisonRow], *, many: bool) -> list[str]:
    """Sentences where neither a gain nor a loss is shown: why, what would undo it, how many items would show it."""
    unsettled = [row for row in rows if row.tested and row.verdict in _EXPLAINED]
    shown = [f"{row.run}, {row.sentence}" if many else row.sentence for row in unsettled[:_MOST]]
    left = len(unsettled) - len(shown)
    return [*shown, f"{left} more show neither; the table has their intervals."] if left else shown


def _not_judged(rows: Sequence[ComparisonRow], *, alone: bool) -> list[str]:
    """How many differences have no verdict, with the reason if no difference has one."""
    silent = [row for row in rows if row.verdict is None and row.compared]
    if not silent:
        return []
    reasons = {row.withheld for row in silent}
    reason = next(text for name, text in WITHHELD.items() if name in reasons)
    return [f"no verdict, because {reason}" if alone else f"no verdict for {len(silent)}"]


def _not_compared(rows: Sequence[ComparisonRow]) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        if not row.compared and row.verdict is None:
            reason = WITHHELD.get(row.withheld or "", row.withheld or "")
            by_reason.setdefault(reason, []).append(_name(row))
    return [f"not compared: {', '.join(names)} ({reason})" for reason, names in by_reason.items()]


def _name(row: ComparisonRow) -> str:
    return row.metric if row.part is None else f"{row.metric} where {row.part}"
