"""Check parsed options and convert them to options of the library."""

import argparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from thresher.errors import InputError
from thresher.reports.rendering.registry import check_printable, file_formats, format_of, renderer_of

if TYPE_CHECKING:
    from thresher.reports.evaluation_results import EvaluationResults

_MARGIN_FORM = "write one number for all metrics, or METRIC=NUMBER as in valor_faithfulness=0.02"


def check_output(options: argparse.Namespace) -> None:
    """Raise InputError for a format that cannot be written, before anything is computed or paid for.

    That is a format of files without `-o`, and a suffix of a format that the command does not have: a text
    called `report.html` would be a page without lines.
    """
    if not hasattr(options, "formats"):
        return
    if options.output is None and options.format in file_formats():
        check_printable(renderer_of(options.format))
    by_suffix = None if options.output is None else format_of(options.output)
    if options.format is None and by_suffix is not None and by_suffix not in options.formats:
        raise InputError(
            f"-o {options.output}: this command does not write {by_suffix}; choose another suffix, or "
            f"--format ({', '.join(options.formats)})"
        )


def names_of(texts: Sequence[str] | None, known: Iterable[str]) -> list[str] | None:
    """Return names that were given one by one or as `a,b`; a known name may have a comma."""
    if texts is None:
        return None
    names = set(known)
    parts = [[text] if text in names else [*filter(None, map(str.strip, text.split(",")))] for text in texts]
    return [name for text, part in zip(texts, parts, strict=True) for name in part or [text]]


def analysis_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of a command as options of `Analysis`."""
    chosen: dict[str, Any] = {
        "metrics": options.metric,
        "cluster": options.cluster,
        "repeats": options.repeats,
        "level": options.level,
    }
    if hasattr(options, "across_settings"):
        chosen |= {"primary": options.primary, **margins(options.margin)}
        chosen["verdicts"] = "always" if options.across_settings else "comparable"
    return chosen


def margins(texts: Sequence[str]) -> dict[str, Any]:
    """Return `margin` and `margins` of a comparison from `--margin M` and `--margin METRIC=M`.

    Raises:
        InputError: for another form, or two margins for the same metric or for all.
    """
    of_metric: dict[str, float] = {}
    of_all: list[float] = []
    for text in texts:
        metric, equals, size = text.rpartition("=")
        metric = metric.strip()
        if (equals and not metric) or metric in of_metric or (not equals and of_all):
            again = "is given twice" if metric or not equals else "names no metric"
            raise InputError(f"--margin {text}: {again}; {_MARGIN_FORM}")
        if equals:
            of_metric[metric] = _size(text, size)
        else:
            of_all.append(_size(text, size))
    return {"margins": of_metric, "margin": of_all[0] if of_all else None}


def _size(text: str, size: str) -> float:
    """A number, or a percentage."""
    digits = size.strip()
    try:
        return float(digits.removesuffix("%")) / (100 if digits.endswith("%") else 1)
    except ValueError:
        raise InputError(f"--margin {text}: {size!r} is not a number; {_MARGIN_FORM}") from None


def check_one_of(options: argparse.Namespace) -> None:
    """Raise InputError for two of --detailed, --slice, --find-slices and --by, and for --sort without labels."""
    shown = {"--detailed shows items": options.detailed, "--slice shows slices": options.slice}
    by = {f"--by {options.by} shows {options.by}s": options.by}
    search = {"--find-slices searches for slices": getattr(options, "find_slices", None) is not None}
    chosen = [what for what, given in (shown | search | by).items() if given]
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(chosen)}: remove {'one' if len(chosen) == 2 else 'two'} of them")  # noqa: PLR2004
    if options.sort and not options.by:
        raise InputError("--sort is the order of labels; add --by label")


def with_stated_bounds(
    options: argparse.Namespace, runs: "Sequence[EvaluationResults]"
) -> "list[EvaluationResults]":
    """The runs with the bounds of `--bounds`; each metric must be in one of them."""
    stated = dict(getattr(options, "bounds", ()))  # `thresher probe` has no such option
    known = {name for run in runs for name in run.metrics}
    for name in stated.keys() - known:
        runs[0].metric(name)  # raises: lists the known ones
    return [
        run.with_bounds({name: ends for name, ends in stated.items() if name in run.metrics})
        if stated
        else run
        for run in runs
    ]
