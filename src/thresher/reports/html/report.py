"""One HTML file that tells everything about one run, or about several side by side."""

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thresher.errors import DataWarning, InputError
from thresher.reports.comparisons.comparison_report import ComparisonReport, Verdicts
from thresher.reports.html.chosen_metrics import arranged, family_of, opening_measures
from thresher.reports.html.items.payload import Payload, payload
from thresher.reports.html.numbers import count, letter
from thresher.reports.html.page import page
from thresher.reports.html.sections.breakdowns import breakdowns
from thresher.reports.html.sections.costs import costs
from thresher.reports.html.sections.differences import differences
from thresher.reports.html.sections.distributions import distributions
from thresher.reports.html.sections.facts import table, tone
from thresher.reports.html.sections.overview import overview
from thresher.reports.html.sections.provenance import provenance
from thresher.reports.html.sections.slices import slices
from thresher.reports.rendering.text import plain
from thresher.reports.runs.names import distinct_run_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import RunReport
from thresher.reports.slices.slice_comparison import SliceComparison
from thresher.reports.slices.slice_report import SliceReport
from thresher.reports.table import Table
from thresher.version import __version__

if TYPE_CHECKING:
    from thresher.reports.gates import GateOutcome

SEED = 20240403
"""Seed of the random sample of items, where not all are embedded."""
_SECTION = 2_000
"""Bytes of the section of the items beside the items themselves."""


def html_report(
    runs: Sequence[RunData],
    *,
    metrics: Sequence[str] | None = None,
    slice_by: Sequence[str] | str = (),
    cluster: str | None = None,
    repeats: str | None = None,
    margins: Mapping[str, float] | None = None,
    margin: float | None = None,
    verdicts: Verdicts = "comparable",
    primary: Sequence[str] | None = None,
    gate: "GateOutcome | None" = None,
    max_rows: int = 10_000,
    max_bytes: int = 5_000_000,
    remarks: Sequence[str] = (),
    tables: Mapping[str, Table] | None = None,
    seed: int = SEED,
) -> str:
    """The report as the text of one HTML file that needs nothing else, no network least of all.

    All figures stand on all items. The table of items holds at most `max_rows` of them: where there are
    more, those with the lowest scores, the largest regressions against the first run, some without a score,
    and a random sample. Where the file would become larger than `max_bytes`, pictures of the items listed
    last are left out and long texts cut; the page says so.

    Args:
        runs: one run, or several that are compared with the first.
        metrics: names of the metrics to show, and to test where runs are compared; all without, of which the
            primary ones are tested.
        slice_by: columns and conditions to show slices by; see `thresher.reports.slices.parts.parts_of`.
        cluster: name of the input column that says which items belong together; see `RunReport`.
        repeats: name of the input column that says which items repeat one another; see `RunReport`.
        margins: metric -> difference that does not matter; see `ComparisonReport`.
        margin: the same for all metrics that `margins` does not name.
        verdicts: `comparable` gives none where settings or data differ between the runs; `always` does.
        primary: names of the measures to test; see `ComparisonReport`.
        gate: what a gate said of the run, to stand first.
        max_rows: how many items to embed at most; 0 for none.
        max_bytes: size of the file to stay within; the figures alone may be larger.
        remarks: sentences to show first.
        tables: further tables by heading.
        seed: seed of the random sample of items.

    Warns:
        DataWarning: if pictures are left out; says how many, and what raises the limit.

    Raises:
        InputError: without a run, for a negative limit, an unknown column or metric, a condition that cannot
            be read, and for runs without items or metrics in common.
    """
    if not runs:
        raise InputError("an HTML report needs a run; give one or more")
    if max_rows < 0 or max_bytes < 0:
        raise InputError(f"max_rows={max_rows} and max_bytes={max_bytes} must not be negative")
    family = family_of(runs, metrics, primary, margins)
    shown = arranged(runs, metrics, family)
    grouped = {"cluster": cluster, "repeats": repeats}
    options = {"margins": margins, "margin": margin, "verdicts": verdicts, "primary": primary}
    compared = options if len(runs) > 1 else {}
    kept = {**grouped, **compared}
    reported = shown if metrics is None else runs
    context = _context(shown, reported, {**kept, "metrics": metrics})
    context |= {"gate": _gate(gate), "remarks": list(remarks)}
    context["slices"] = _slices(reported, slice_by, {**kept, "metrics": metrics}, context["notes"])
    context["tables"] = {name: table(each.columns, each.rows) for name, each in (tables or {}).items()}
    without = page({**context, "items": _items(None, seed)})
    room = max(0, max_bytes - len(without.encode()) - _SECTION)
    opening = opening_measures(shown, family)
    sizes = {"most": max_rows, "room": room, "seed": seed}
    packed = payload(shown, context["names"], primary=opening, **sizes) if max_rows else None
    if packed is not None and packed.pictures_left_out:
        warnings.warn(_pictures(packed), DataWarning, stacklevel=2)
    return page({**context, "items": _items(packed, seed)})


def _context(runs: Sequence[RunData], reported: Sequence[RunData], kept: dict[str, Any]) -> dict[str, Any]:
    """Return what the sections show, apart from the items.

    Args:
        runs: the runs with the metrics that are shown.
        reported: the runs with all metrics; the reports choose some of them and note it.
        kept: options of the reports.
    """
    many = len(runs) > 1
    names = distinct_run_names([run.name for run in runs]) if many else [runs[0].name or "run"]
    data = plain(ComparisonReport(reported, **kept).data() if many else RunReport(reported[0], **kept).data())
    reports = data["runs"] if many else [{**data, "run": names[0]}]
    return {
        "version": __version__,
        "title": " · ".join(names),
        "names": names,
        "size": _size(runs),
        "costs": costs(runs),
        "notes": data["notes"],
        "overview": overview(runs, reports),
        "differences": differences(runs, data) if many else None,
        "distributions": distributions(runs, names),
        "breakdowns": breakdowns(runs, names),
        "provenance": provenance(runs, names),
    }


def _slices(
    runs: Sequence[RunData], by: Sequence[str] | str, kept: dict[str, Any], said: Sequence[str]
) -> dict[str, Any] | None:
    """The slices of one run, or the differences on each; notes that stand above already are left out."""
    if not by:
        return None
    if len(runs) == 1:
        found = slices(SliceReport(runs[0], by, **kept))
    else:
        data = plain(SliceComparison(runs, by, **kept).data())
        found = {**differences(runs, data), "notes": data["notes"]}
    return {**found, "notes": [note for note in found["notes"] if note not in said]}


def _gate(outcome: "GateOutcome | None") -> dict[str, Any] | None:
    if outcome is None:
        return None
    told = outcome.table()
    return {
        "summary": outcome.summary,
        "tone": tone(outcome.outcome.value),
        "remarks": outcome.remarks,
        "table": table(told.columns, told.rows),
    }


def _size(runs: Sequence[RunData]) -> str:
    sizes = [count(len(run)) for run in runs]
    if len(runs) == 1:
        return f"{sizes[0]} items"
    if len(set(sizes)) == 1:
        return f"{sizes[0]} items in each run; A is the baseline"
    told = ", ".join(f"{size} items in {letter(run)}" for run, size in enumerate(sizes))
    return f"{told}; A is the baseline"


def _items(packed: Payload | None, seed: int) -> dict[str, Any]:
    """What the section of the items says."""
    if packed is None:
        return {"payload": "", "embedded": 0, "told": [], "sliders": False}
    told = [each for each in (_left_out(packed, seed), _pictures(packed), _cut(packed)) if each]
    return {"payload": packed.text, "embedded": packed.embedded, "told": told, "sliders": packed.sliders}


def _left_out(packed: Payload, seed: int) -> str:
    """Which items are not in the file; empty if all are."""
    if packed.items and not packed.embedded:
        return (
            f"None of the {count(packed.items)} items fits into this file: give it more room "
            "(--max-mb, max_bytes=). All figures above stand on all items."
        )
    if packed.embedded == packed.items:
        return ""
    parts = ", ".join(f"{count(number)} {name}" for name, number in packed.chosen.items() if number)
    return (
        f"{count(packed.embedded)} of {count(packed.items)} items are in this file, chosen as: {parts} "
        f"(seed {seed}). All figures above stand on all items."
    )


def _pictures(packed: Payload) -> str:
    """How many pictures are not in the file; empty if all are."""
    if not packed.pictures_left_out:
        return ""
    return (
        f"{count(packed.pictures_left_out)} of {count(packed.pictures)} pictures are left out of this file "
        "to keep it small, those of the items listed last; a higher limit (--max-mb, max_bytes=) keeps more "
        "of them."
    )


def _cut(packed: Payload) -> str:
    """What stands there shortened; empty if nothing does."""
    if packed.limits.bulk is None:
        return ""
    what = "Passages and other columns" if packed.limits.rest is None else "Texts"
    return (
        f"{what} are cut at {count(max(packed.limits.bulk, packed.limits.rest or 0))} characters "
        "to keep the file small; the run holds them whole."
    )
