"""Options of the commands that show stored runs."""

import argparse
from collections.abc import Sequence
from typing import Any

from thresher.errors import InputError
from thresher.reports.rendering.registry import check_printable, file_formats, renderer_of

LEVEL = 0.95
_LARGEST = 1_000_000
"""Megabytes; no browser opens a file of a terabyte."""
_MARGIN_FORM = "write one number for all metrics, or METRIC=NUMBER as in faithfulness=0.02"


def report(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """`thresher report`."""
    command = commands.add_parser("report", help="the report of a run")
    command.add_argument("run", metavar="RUN", help="a run directory")
    command.add_argument("--detailed", action="store_true", help="item by item")
    _sliced(command)
    grouped(command)
    level(command)
    output(command, pages=True)
    command.set_defaults(module="report")


def compare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """`thresher compare`."""
    command = commands.add_parser(
        "compare", help="runs side by side; differences to the first, with intervals"
    )
    command.add_argument("runs", metavar="RUN", nargs="+", help="two or more run directories")
    command.add_argument("--detailed", action="store_true", help="item by item (two runs)")
    _sliced(command)
    margin(command, "differences within it are equivalent; no metric is without a margin")
    command.add_argument(
        "--across-settings", action="store_true", help="give verdicts even if settings or data differ"
    )
    command.add_argument(
        "--primary",
        action="append",
        metavar="M",
        help="test this measure, chosen afterwards, instead of those that the runs declare; may be repeated",
    )
    grouped(command)
    level(command)
    output(command, pages=True)
    command.set_defaults(module="compare")


def thresholds(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """`thresher thresholds`."""
    command = commands.add_parser(
        "thresholds", help="quartiles of the item scores; against labels, the best thresholds"
    )
    command.add_argument("run", metavar="RUN", help="a run directory")
    command.add_argument(
        "--metric",
        action="append",
        metavar="M",
        help="only this metric, or column of scores; may be repeated",
    )
    group = command.add_argument_group(
        "the best threshold", "chosen on one part of the items, reported on the other, with intervals"
    )
    group.add_argument("--label", metavar="COLUMN", help="column that says which items are positive, 1 or 0")
    group.add_argument("--positive", metavar="VALUE", help="the positive label; default: 1")
    group.add_argument(
        "--objective",
        metavar="O",
        help="f1 (or f2, f0.5), precision-at-recall=R, recall-at-precision=P, youden, cost=FP,FN[,TP,TN]",
    )
    group.add_argument(
        "--split", type=float, default=0.5, metavar="S", help="share of the items to choose on (0.5)"
    )
    group.add_argument("--seed", type=int, default=20240403, metavar="N", help="seed of the split")
    group.add_argument("--direction", choices=("higher", "lower"), help="which scores look positive")
    group.add_argument("--cluster", metavar="COLUMN", help="items with the same entry stay in one part")
    output(command)
    command.set_defaults(module="thresholds")


def inputs_below(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """`thresher inputs-below`."""
    command = commands.add_parser("inputs-below", help="the whole rows that score below a threshold")
    command.add_argument("run", metavar="RUN", help="a run directory")
    command.add_argument("--metric", required=True, metavar="M")
    command.add_argument("--threshold", required=True, type=float, metavar="T")
    output(command)
    command.set_defaults(module="inputs_below")


def _sliced(command: argparse.ArgumentParser) -> None:
    command.add_argument("--metric", action="append", metavar="M", help="only this metric; may be repeated")
    command.add_argument(
        "--slice",
        action="append",
        default=[],
        metavar="COLUMN|CONDITION",
        help="slice by slice, worst first: a column, or e.g. 'language == \"de\"'; may be repeated",
    )


def grouped(command: argparse.ArgumentParser) -> None:
    """`--cluster` and `--repeats`."""
    command.add_argument(
        "--cluster",
        metavar="COLUMN",
        help="items with the same entry are not independent; default: the column `cluster`",
    )
    command.add_argument(
        "--repeats",
        metavar="COLUMN",
        help="items with the same entry repeat one another; default: the column `repeat_of`",
    )


def margin(command: argparse.ArgumentParser, what: str) -> None:
    """`--margin`; `what` says what a margin decides."""
    command.add_argument(
        "--margin",
        action="append",
        default=[],
        metavar="M|METRIC=M",
        help=f"a difference that does not matter, for all metrics or for one: {what}; may be repeated",
    )


def level(command: argparse.ArgumentParser) -> None:
    """`--level`."""
    command.add_argument(
        "--level",
        type=float,
        default=LEVEL,
        metavar="L",
        help="of the intervals, 0.5 to 1 (0.95); tests err in at most 1 - L",
    )


def megabytes(command: argparse.ArgumentParser) -> None:
    """`--max-mb`, the size of an HTML file in millions of bytes."""
    command.add_argument(
        "--max-mb",
        dest="max_bytes",
        type=_in_bytes,
        metavar="N",
        help="size of an HTML file in megabytes (5); more of them keep more pictures",
    )


def _in_bytes(text: str) -> int:
    try:
        size = float(text)
    except ValueError:
        size = -1.0
    if not 0 <= size < _LARGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of megabytes")
    return int(size * 1_000_000)


def output(command: argparse.ArgumentParser, *, pages: bool = False) -> None:
    """`--format` and `--output`, and limits of an HTML file.

    Args:
        command: the command.
        pages: whether its report has an HTML page.
    """
    formats = file_formats(pages=pages)
    command.add_argument(
        "--format", choices=formats, help="default: by the suffix of -o FILE, else an aligned table"
    )
    command.set_defaults(formats=formats)
    if pages:
        command.add_argument(
            "--max-rows", type=int, default=10_000, metavar="N", help="items that an HTML file holds at most"
        )
        command.add_argument(
            "--max-bytes",
            type=int,
            default=5_000_000,
            metavar="N",
            help="size of an HTML file (5000000); pictures are left out, long texts cut, then items left "
            "out, until it fits",
        )
        megabytes(command)
    command.add_argument("-o", "--output", metavar="FILE", help="write there instead of printing")


def check_output(options: argparse.Namespace) -> None:
    """Raise InputError for a format of files without `-o`, before anything is computed or paid for."""
    if getattr(options, "formats", None) and options.format and options.output is None:
        check_printable(renderer_of(options.format))


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
    """Raise InputError for --detailed together with --slice."""
    if options.detailed and options.slice:
        raise InputError("--detailed shows items and --slice shows slices: give one of them")
