"""What a comparison says, in whole sentences under its table."""

from collections.abc import Sequence

from thresher.reports.comparison_row import WITHHELD, Row


def reading(rows: Sequence[Row], tests: int) -> list[str]:
    """One sentence for each run that was compared with the first, then the tests and what was not tested.

    Args:
        rows: all rows; the sentences are about those that are tested.
        tests: for how many tests p-values are corrected.
    """
    tested = [row for row in rows if row.tested]
    runs = dict.fromkeys(row.run for row in tested)
    told = [_of_run([row for row in tested if row.run == run]) for run in runs]
    if tests > 1:
        told.append(f"p-values are corrected for all {tests} tests made here (Holm); intervals are not.")
    return [*told, *_secondary(rows)]


def _secondary(rows: Sequence[Row]) -> list[str]:
    """Which measures are not tested, and how to test one."""
    names = list(dict.fromkeys(row.metric for row in rows if not row.tested))
    if not names:
        return []
    shown = ", ".join(names) if len(names) <= _NAMED else f"{len(names)} measures"
    return [f"Secondary, shown without a verdict: {shown}; --metric NAME (metrics=) tests what it names."]


_NAMED = 4
"""Up to so many secondary measures are named in the sentence; the table lists them all."""


def _of_run(rows: Sequence[Row]) -> str:
    """Who is better in what, and how much is left open."""
    named: dict[str, list[str]] = {words: [] for words in _WORDS.values()}
    for row in rows:
        if row.verdict is not None and row.verdict != "inconclusive":
            named[_WORDS[row.verdict, row.found.margin_given]].append(_name(row))
    decided = [f"{words} {', '.join(names)}" for words, names in named.items() if names]
    judged = [row for row in rows if row.verdict is not None]
    head = f"{rows[0].run} against {rows[0].baseline}: "
    if not judged:
        return f"{head}no verdict, because {_reason(rows)}."
    open_ones = sum(row.verdict == "inconclusive" for row in judged)
    if open_ones == len(judged):
        told = f"inconclusive; {_each(open_ones)} could as well be chance"
    else:
        told = "; ".join(decided) + (f"; inconclusive: {open_ones} of {len(rows)}" if open_ones else "")
    silent = len(rows) - len(judged)
    return head + told + (f"; no verdict for {silent}" if silent else "") + "."


_WORDS = {
    **{("better", given): "better in" for given in (True, False)},
    **{("worse", given): "worse in" for given in (True, False)},
    ("equivalent", True): "equivalent within the margin in",
    ("equivalent", False): "equivalent within what could be detected in",
}


def _name(row: Row) -> str:
    return row.metric if row.part is None else f"{row.metric} where {row.part}"


def _each(number: int) -> str:
    return "the one difference" if number == 1 else f"all {number} differences"


def _reason(rows: Sequence[Row]) -> str:
    reasons = {row.withheld for row in rows}
    return next(told for reason, told in WITHHELD.items() if reason in reasons)
