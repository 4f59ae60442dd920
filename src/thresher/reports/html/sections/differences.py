"""Differences from the first run with intervals, verdicts, wins, ties and losses."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.kernels.inference.verdict_sentence import meanings
from thresher.reports.comparisons.comparison_row import FEW
from thresher.reports.figures.figure import Axis, RowFigure, Whisker
from thresher.reports.figures.scale import Domain
from thresher.reports.html.numbers import DASH, cell_text, count, limits, number, shared_decimals
from thresher.reports.html.sections.facts import further, heading, limits_of, metric_head, table, tone
from thresher.reports.html.svg.rows import draw_rows
from thresher.reports.html.svg.shares import shares_bar
from thresher.reports.runs.run_data import RunData

_SHOWN = (
    "metric",
    "slice",
    "label",
    "keypoint",
    "baseline",
    "run",
    "baseline_value",
    "run_value",
    "difference",
    "interval",
)
_COUNTS = ("wins", "ties", "losses")
_KNOWN = (
    *_SHOWN,
    *_COUNTS,
    "items",
    "direction",
    "verdict",
    "withheld",
    "why",
    "margin",
    "sentence",
    "p_adjusted",
    "role",
    "rule",
)
"""Fields with a place in the table; all others are listed under all statistics."""
_PARTS = ("slice", "label", "keypoint")
SECONDARY = "secondary"
_VERDICTS = (
    "worse",
    "likely worse",
    "better",
    "likely better",
    "tolerated",
    "equivalent",
    "unchanged",
    "unless",
    "inconclusive",
)
_WORDS = 6
"""Up to this many rows, their sentences are unfolded."""
Rows = Sequence[Mapping[str, Any]]


def differences(runs: Sequence[RunData], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the section's data: one table of two runs, or each other run paired with the first.

    Args:
        runs: the runs; the first is the baseline.
        data: plain data of a `ComparisonReport` or `SliceComparison`.
    """
    rows = data["differences"]
    names = [report["run"] for report in data["runs"]]
    widths = spans([_metric(runs, metric_rows) for metric_rows in _by_metric(rows)])
    sentences = data.get("reading", [])
    pairs = [_pair(runs, data, names, run, widths) for run in range(1, len(names))]
    common = [line for line in sentences if not any(line in pair["said"] for pair in pairs)]
    return {
        "baseline": names[0],
        "pairs": pairs if len(pairs) > 1 else [],
        "table": compared_table(runs, rows, names, 1, widths),
        "sentences": common if len(pairs) > 1 else sentences,
        "meanings": meanings({row["verdict"] for row in rows}),
        "margins": any(row.get("margin") is not None for row in rows),
        "names_items": any(" items detect " in (row.get("why") or "") for row in rows),
        "statistics": _statistics(rows),
    }


def compared_table(
    runs: Sequence[RunData], rows: Rows, names: Sequence[str], run: int, widths: Mapping[Any, Domain]
) -> dict[str, Any]:
    """Return the differences of one run from the first, metric by metric, tested metrics first."""
    shown = [_metric(runs, metric_rows) for metric_rows in _by_metric(rows)]
    return {
        "baseline": names[0],
        "run": run,
        "name": names[run],
        "sliced": next((name for name in _PARTS if any(row.get(name) is not None for row in rows)), ""),
        "metrics": [_drawn(metric, widths[metric["scale"]]) for metric in shown],
        "secondary": first_secondary(shown),
        "words": [row["sentence"] for row in rows if row.get("sentence")],
        "open": len(rows) <= _WORDS,
    }


def _pair(
    runs: Sequence[RunData],
    data: Mapping[str, Any],
    names: Sequence[str],
    run: int,
    widths: Mapping[Any, Domain],
) -> dict[str, Any]:
    """Return the differences of one of several runs from the first: tested measures, and the others apart."""
    rows = [row for row in data["differences"] if row["run"] == names[run]]
    tested, others = ([row for row in rows if _is_secondary(row) is apart] for apart in (False, True))
    tables = [compared_table(runs, part, names, run, widths) if part else None for part in (tested, others)]
    heads = (f"{names[run]} against {names[0]}: ", f"{names[run]}, ")
    said = [line for line in data.get("reading", []) if line.startswith(heads)]
    return {
        "run": run,
        "name": names[run],
        "table": tables[0],
        "others": tables[1],
        "said": said,
        "sentences": [line.removeprefix(heads[0]).removeprefix(heads[1]) for line in said],
        "verdicts": _verdict_counts(tested),
    }


def _verdict_counts(rows: Rows) -> list[dict[str, str]]:
    """Count the verdicts of tested measures, in the order of importance."""
    verdicts = [row["verdict"] or _without_verdict(row) for row in rows]
    ordered = [*_VERDICTS, *(name for name in dict.fromkeys(verdicts) if name not in _VERDICTS)]
    counts = ((name, verdicts.count(name)) for name in ordered)
    return [{"text": f"{number} {name}", "tone": tone(name) or "open"} for name, number in counts if number]


def _by_metric(rows: Rows) -> list[Rows]:
    """Return the rows of each metric, tested metrics first."""
    metrics = dict.fromkeys(row["metric"] for row in sorted(rows, key=_is_secondary))
    return [[row for row in rows if row["metric"] == metric] for metric in metrics]


def _is_secondary(row: Mapping[str, Any]) -> bool:
    """Whether a row's measure is shown without being tested."""
    return row.get("role") == SECONDARY


def _statistics(rows: Rows) -> dict[str, Any] | None:
    """Return all further fields as a table; None without any."""
    names = further(rows, _KNOWN)
    heads = [name for name in ("metric", "slice", "run") if any(row.get(name) is not None for row in rows)]
    columns = [*heads, *names, *(["p_adjusted"] if names else [])]
    cells = [[row.get(name) for name in columns] for row in rows]
    return table(list(map(heading, columns)), cells) if names else None


def first_secondary(metrics: Rows) -> str | None:
    """Return the first measure that is not tested, above which the table says so; None without one."""
    return next((metric["name"] for metric in metrics if metric["secondary"]), None)


def spans(metrics: Rows) -> dict[Any, Domain]:
    """Return per scale of measurement the range around 0 with all its differences and intervals."""
    widest: dict[Any, float] = {}
    for metric in metrics:
        ends = [abs(end) for row in metric["rows"] for end in (*(row["interval"] or ()), row["raw"] or 0.0)]
        widest[metric["scale"]] = max([widest.get(metric["scale"], 0.0), *ends])
    return {scale: (-(width or 1.0) * 1.05, (width or 1.0) * 1.05) for scale, width in widest.items()}


def _metric(runs: Sequence[RunData], rows: Rows) -> dict[str, Any]:
    metric = rows[0]["metric"]
    measure = runs[0].metrics[metric].measure
    return {
        **metric_head(measure),
        "scale": measure.bounds,
        "secondary": _is_secondary(rows[0]),
        "rows": [_row(row) for row in rows],
    }


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    interval = None if row.get("withheld") == FEW else limits_of(row)
    values = (row["baseline_value"], row["run_value"])
    common = shared_decimals(values)
    change = shared_decimals([row["difference"], *(interval or ())])
    counts = {name: int(row[name]) for name in _COUNTS if row[name] is not None}
    return {
        "part": next((row[name] for name in _PARTS if name in row), None),
        "values": tuple(number(value, decimals=common) for value in values),
        "raw": row["difference"],
        "difference": number(row["difference"], signed=True, decimals=change),
        "interval": interval,
        "limits": limits(interval, signed=True, decimals=change),
        "method": row["interval"]["method"] if interval else "",
        "tone": tone(row.get("verdict")) or "open",
        "tested": row.get("verdict"),
        "verdict": row.get("verdict") or _without_verdict(row),
        "why": _reason(row, change),
        "margin": row.get("margin"),
        "sentence": row.get("sentence"),
        "bar": shares_bar(**counts) if counts else "",
        "counts": " / ".join(map(count, counts.values())) or DASH,
        "items": count(row["items"]),
    }


def _reason(row: Mapping[str, Any], decimals: int) -> str:
    """Return what the verdict is based on, with the margin.

    An equivalence is based on its narrower interval, which has the decimals of the wider one in the same row.
    """
    parts = list(filter(None, (row.get("why") or "").split("; ")))
    margin, narrow = row.get("margin"), limits_of(row, "narrow")
    if margin is None or row.get("verdict") is None:
        return "; ".join(parts)
    if row["verdict"] in ("equivalent", "tolerated") and narrow is not None:
        level = f"{100 * row['narrow']['level']:.6g} % interval"
        ends = limits(narrow, signed=True, decimals=decimals)
        return "; ".join([f"{level} {ends} within {cell_text(margin)}", *parts[1:]])
    stated = [] if any("margin" in part for part in parts) else [f"margin {cell_text(margin)}"]
    return "; ".join([*stated, *parts])


def _without_verdict(row: Mapping[str, Any]) -> str:
    """Return the text in place of a verdict."""
    if row["difference"] is None:
        return "not compared"
    return SECONDARY if _is_secondary(row) else "not judged"


def _drawn(metric: dict[str, Any], span: Domain) -> dict[str, Any]:
    whiskers = (
        Whisker(row["raw"], row["interval"], row["tested"], margin=row["margin"]) for row in metric["rows"]
    )
    plots = draw_rows(RowFigure("", Axis("", span), tuple(whiskers), zero=True))
    rows = [{**row, "plot": plot} for row, plot in zip(metric["rows"], plots, strict=True)]
    return {**metric, "rows": rows}
