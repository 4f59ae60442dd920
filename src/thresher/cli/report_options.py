"""What the commands that show stored runs understand."""

import argparse

LEVEL = 0.95
_LARGEST = 1_000_000
"""Megabytes; no browser opens a file of a terabyte."""
FORMATS = ("table", "csv", "json", "markdown")
TABLES = ("latex", "excel")
MORE_FORMATS = ("html", *TABLES)


def report(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """`thresher report`."""
    command = commands.add_parser("report", help="what a run says")
    command.add_argument("run", metavar="RUN", help="a run directory")
    command.add_argument("--detailed", action="store_true", help="item by item")
    _sliced(command)
    grouped(command)
    level(command)
    output(command, *MORE_FORMATS)
    command.set_defaults(module="report")


def compare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """`thresher compare`."""
    command = commands.add_parser(
        "compare", help="runs side by side; differences to the first, with intervals"
    )
    command.add_argument("runs", metavar="RUN", nargs="+", help="two or more run directories")
    command.add_argument("--detailed", action="store_true", help="item by item (two runs)")
    _sliced(command)
    margin(command, "within it runs are equivalent; without one, no run is")
    command.add_argument(
        "--across-settings", action="store_true", help="judge even where settings or data differ"
    )
    command.add_argument(
        "--primary",
        action="append",
        metavar="M",
        help="test this measure, chosen afterwards, instead of those that the runs declare; may be repeated",
    )
    grouped(command)
    level(command)
    output(command, *MORE_FORMATS)
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
        "the best threshold", "chosen on one part of the items, told on the other, with intervals"
    )
    group.add_argument("--label", metavar="COLUMN", help="says which items are positive, by 1 and 0")
    group.add_argument("--positive", metavar="VALUE", help="which label is positive, if it is not 1")
    group.add_argument(
        "--objective",
        metavar="O",
        help="f1 (or f2, f0.5), precision-at-recall=R, recall-at-precision=P, youden, cost=FP,FN[,TP,TN]",
    )
    group.add_argument("--split", type=float, default=0.5, metavar="S", help="share to choose on (0.5)")
    group.add_argument("--seed", type=int, default=20240403, metavar="N", help="seed of the split")
    group.add_argument("--direction", choices=("higher", "lower"), help="which scores look positive")
    group.add_argument("--cluster", metavar="COLUMN", help="items with the same entry are not torn apart")
    output(command, *TABLES)
    command.set_defaults(module="thresholds")


def inputs_below(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """`thresher inputs-below`."""
    command = commands.add_parser("inputs-below", help="the whole rows that score below a threshold")
    command.add_argument("run", metavar="RUN", help="a run directory")
    command.add_argument("--metric", required=True, metavar="M")
    command.add_argument("--threshold", required=True, type=float, metavar="T")
    output(command, *TABLES)
    command.set_defaults(module="inputs_below")


def _sliced(command: argparse.ArgumentParser) -> None:
    command.add_argument("--metric", action="append", metavar="M", help="only this metric; may be repeated")
    command.add_argument(
        "--slice",
        action="append",
        default=[],
        metavar="COLUMN|CONDITION",
        help="part by part, worst first: a column, or e.g. 'language == \"de\"'; may be repeated",
    )


def grouped(command: argparse.ArgumentParser) -> None:
    """`--cluster` and `--repeats`."""
    command.add_argument(
        "--cluster", metavar="COLUMN", help="items with the same entry are not independent; `cluster` without"
    )
    command.add_argument(
        "--repeats",
        metavar="COLUMN",
        help="items with the same entry repeat one another; `repeat_of` without",
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


def output(command: argparse.ArgumentParser, *more: str) -> None:
    """`--format` and `--output`, and how much an HTML file holds where there is one."""
    command.add_argument("--format", choices=(*FORMATS, *more), default="table")
    if "html" in more:
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
