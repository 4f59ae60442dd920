"""The report of one run, or of several side by side, as one HTML file."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from thresher.errors import DataWarning, InputError
from thresher.reports.analysis import Analysis, SliceComparisonOptions, takes
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.html.chosen_metrics import arranged, family_of, opening_measures
from thresher.reports.html.contents import check_sections, contents
from thresher.reports.html.item_notes import items_section, pictures_left_out_note, sizes_of
from thresher.reports.html.items.payload import payload
from thresher.reports.html.page import page
from thresher.reports.html.pictures.section import (
    BUDGET,
    IMAGE_LIMIT,
    check_pixels_of_pictures,
    pictures_section,
)
from thresher.reports.html.pictures.thumbnails import LARGE
from thresher.reports.html.sections.breakdowns import breakdowns
from thresher.reports.html.sections.costs import costs
from thresher.reports.html.sections.differences import differences
from thresher.reports.html.sections.distributions import distributions
from thresher.reports.html.sections.facts import table, table_section, tone
from thresher.reports.html.sections.labels import labels_section
from thresher.reports.html.sections.leaderboard import leaderboard_section
from thresher.reports.html.sections.overview import overview
from thresher.reports.html.sections.provenance import provenance
from thresher.reports.html.sections.slices import slices
from thresher.reports.leaderboards.leaderboard import LeaderboardReport
from thresher.reports.leaderboards.options import LeaderboardOptions
from thresher.reports.rendering.numbers import interval_heading
from thresher.reports.rendering.text import plain
from thresher.reports.runs.names import distinct_run_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import RunReport
from thresher.reports.scores.score_blocks import score_metrics
from thresher.reports.scores.sorted_scores import sorted_scores
from thresher.reports.slices.slice_comparison import SliceComparison
from thresher.reports.slices.slice_report import SliceReport
from thresher.reports.table import Table
from thresher.version import __version__

if TYPE_CHECKING:
    from thresher.reports.by_label.label_comparison import ByLabelComparison
    from thresher.reports.by_label.label_report import ByLabelReport
    from thresher.reports.gates import GateOutcome

SEED = 20240403
"""Seed of the random sample of items, where not all are embedded."""
_PAIR, _RANKED = 2, 3
"""Most runs with pictures, and fewest runs with a leaderboard."""
_OF_ITEMS = frozenset({"items", "thresholds"})
"""Sections that need the items; without them a page has none, which saves most of its bytes."""
_SECTION = 2_000
"""Bytes of the section of the items without the items themselves."""


@takes(SliceComparisonOptions)
def html_report(
    runs: Sequence[RunData],
    *,
    slice_by: Sequence[str] | str = (),
    gate: "GateOutcome | None" = None,
    leaderboard: LeaderboardReport | None = None,
    by_label: "ByLabelReport | ByLabelComparison | None" = None,
    max_rows: int = 10_000,
    max_bytes: int = 5_000_000,
    remarks: Sequence[str] = (),
    tables: Mapping[str, Table] | None = None,
    sections: Sequence[str] | None = None,
    images: str | Path | None = None,
    image_bytes: int = BUDGET,
    image_pixels: int = LARGE,
    seed: int = SEED,
    **options: Unpack[SliceComparisonOptions],
) -> str:
    """Return the report as the text of one HTML file, which loads nothing and needs no network.

    All figures cover all items. The table of items holds at most `max_rows` of them: where there are more,
    those with the lowest scores, the largest regressions against the first run, some without a score, and a
    random sample. Where the file would exceed `max_bytes`, pictures of the items listed last are left out and
    long texts cut; the page says so.

    Args:
        runs: one run, or several that are compared with the first.
        slice_by: columns and conditions to show slices by; see `thresher.reports.slices.parts.parts_of`.
        gate: outcome of a gate, shown first.
        leaderboard: the leaderboard of these runs; default: by their first tested measure, if there are three
            or more.
        by_label: the values or differences of each label, or of each keypoint; default: those of the primary
            measures, if they are means over labels, and of the keypoints, if all runs have some.
        max_rows: how many items to embed at most; 0 for none.
        max_bytes: largest size of the file; the figures alone may be larger.
        remarks: sentences to show first.
        tables: further tables by heading.
        sections: names of the sections to show, in their order (`thresher.reports.html.contents`); None for
            all.
        images: folder of the images, to show the worst of one run, or those on which two runs differ most;
            None for none.
        image_bytes: bytes of the page for these pictures. Where they would need more, they are made smaller,
            then fewer; the page says so.
        image_pixels: pixels of the longer side of large pictures, which the first images get as far as
            `image_bytes` allows; 224 for none.
        seed: seed of the random sample of items.
        options: `metrics`, `cluster`, `level` and the others of `thresher.reports.Analysis`.

    Warns:
        DataWarning: if pictures are left out; says how many, and what raises the limit. If files of `images`
            are missing or cannot be read; says which.

    Raises:
        InputError: without a run, for a negative limit, an unknown column or metric, a condition that cannot
            be read, a level outside its range, for runs without items or metrics in common, and for `images`
            that is not a folder, or with more than two runs.
    """
    _check_request(len(runs), images, max_rows=max_rows, max_bytes=max_bytes, image_bytes=image_bytes)
    check_pixels_of_pictures(image_pixels)
    check_sections(sections or ())
    analysis = Analysis(**options)
    family = family_of(runs, analysis.metrics, analysis.primary, analysis.margins)
    shown = arranged(runs, analysis.metrics, family)
    reported = shown if analysis.metrics is None else runs
    context = _context(shown, reported, analysis)
    context |= {"gate": _gate(gate), "remarks": list(remarks)}
    context["leaderboard"] = _leaderboard(runs, leaderboard, family.measures, analysis, context)
    context["slices"] = _slices(reported, slice_by, analysis, context["notes"])
    context["pictures"] = None
    context["labels"] = labels_section(reported, by_label, analysis, "label")
    context["keypoints"] = labels_section(reported, by_label, analysis, "keypoint")
    context["tables"] = {name: table_section(shown) for name, shown in (tables or {}).items()}
    by = [slice_by] if isinstance(slice_by, str) else slice_by
    room = max_bytes - _SECTION - len(_page(context, items_section(None, seed), sections).encode())
    if images is not None:
        limit = IMAGE_LIMIT if image_bytes <= room else "--max-mb, max_bytes="
        within, other = max(0, min(image_bytes, room)), runs[1] if len(runs) > 1 else None
        drawn = pictures_section(runs[0], images, within, by, other=other, limit=limit, pixels=image_pixels)
        context["pictures"] = drawn
        room -= len(drawn.payload) + _SECTION
    opening = opening_measures(shown, family)
    sizes = {"most": max_rows, "room": max(0, room), "seed": seed}
    listed = max_rows and (sections is None or not _OF_ITEMS.isdisjoint(sections))
    packed = payload(shown, context["names"], primary=opening, sliced=by, **sizes) if listed else None
    if packed is not None and packed.pictures_left_out:
        warnings.warn(pictures_left_out_note(packed), DataWarning, stacklevel=3)
    if context["pictures"] is not None and context["pictures"].problem:
        warnings.warn(context["pictures"].problem, DataWarning, stacklevel=3)
    return _page(context, items_section(packed, seed), sections)


def _check_request(runs: int, images: str | Path | None, **limits: int) -> None:
    if not runs:
        raise InputError("an HTML report needs a run; give one or more")
    if min(limits.values()) < 0:
        *first, last = (f"{name}={limit}" for name, limit in limits.items())
        raise InputError(f"{', '.join(first)} and {last} must not be negative")
    if images is None:
        return
    if not limits["image_bytes"]:
        raise InputError("image_bytes=0 leaves no room for a picture; leave out images= instead")
    if runs > _PAIR:
        limit = "pictures (--images, images=) show one run, or two that are compared"
        raise InputError(f"{limit}, not {runs}; remove the others")


def _page(context: dict[str, Any], items: dict[str, Any], sections: Sequence[str] | None) -> str:
    whole = {**context, "items": items}
    return page({**whole, **contents(whole, sections)})


def _context(runs: Sequence[RunData], reported: Sequence[RunData], analysis: Analysis) -> dict[str, Any]:
    """Return what the sections show, apart from the items.

    Args:
        runs: the runs with the metrics that are shown.
        reported: the runs with all metrics; the reports choose some of them and note it.
        analysis: what the reports compute.
    """
    many = len(runs) > 1
    names = distinct_run_names([run.name for run in runs]) if many else [runs[0].name or "run"]
    for run in runs:
        sorted_scores(score_metrics(run))  # in one pass, before the sections ask for one after the other
    report = ComparisonReport(reported, analysis) if many else RunReport(reported[0], analysis)
    data = plain(report.data())
    reports = data["runs"] if many else [{**data, "run": names[0]}]
    return {
        "version": __version__,
        "title": " · ".join(names),
        "kind": "Comparison" if many else "Evaluation",
        "names": names,
        "interval": interval_heading(report.level),
        "size": sizes_of(runs),
        "costs": costs(runs),
        "notes": data["notes"],
        "overview": overview(runs, reports),
        "differences": differences(runs, data) if many else None,
        "distributions": distributions(runs, names),
        "breakdowns": breakdowns(runs, names, analysis),
        "provenance": provenance(runs, names),
    }


def _slices(
    runs: Sequence[RunData], by: Sequence[str] | str, analysis: Analysis, known_notes: Sequence[str]
) -> dict[str, Any] | None:
    """Return the slices of one run, or the differences on each, without notes that the page shows already."""
    if not by:
        return None
    if len(runs) == 1:
        section = slices(SliceReport(runs[0], by, analysis))
    else:
        data = plain(SliceComparison(runs, by, analysis).data())
        section = {**differences(runs, data), "notes": data["notes"]}
    return {**section, "notes": [note for note in section["notes"] if note not in known_notes]}


def _leaderboard(
    runs: Sequence[RunData],
    given: LeaderboardReport | None,
    tested: Sequence[str],
    analysis: Analysis,
    context: dict[str, Any],
) -> dict[str, Any] | None:
    """Return the leaderboard of three or more runs; if it is missing, a note says why."""
    if given is None and len(runs) < _RANKED:
        return None
    try:
        report = given or LeaderboardReport(runs, _ranking_options(tested, analysis))
        section = leaderboard_section(report, context["names"])
    except InputError as error:
        context["notes"] = [*context["notes"], f"There is no leaderboard: {error}."]
        return None
    return {**section, "notes": [note for note in section["notes"] if note not in context["notes"]]}


def _ranking_options(tested: Sequence[str], analysis: Analysis) -> LeaderboardOptions:
    """Return the options of a leaderboard that go with those of a comparison."""
    chosen = [name for name in (*(analysis.primary or ()), *(analysis.metrics or ())) if name in tested]
    shared = {name: getattr(analysis, name) for name in ("cluster", "repeats", "level", "verdicts")}
    return LeaderboardOptions(primary=next(iter(chosen), None), pairs=True, **shared)


def _gate(outcome: "GateOutcome | None") -> dict[str, Any] | None:
    if outcome is None:
        return None
    checks = outcome.table()
    return {
        "summary": outcome.summary,
        "tone": tone(outcome.outcome.value),
        "remarks": outcome.remarks,
        "table": table(checks.columns, checks.rows),
    }
