"""Options that several commands share."""

import argparse
from collections.abc import Sequence

from thresher.reports.rendering.registry import FormatNames, file_formats

LEVEL = 0.95
RUN_HELP = "directory or URL of the run, or a file of its results (.json, .json.gz)"
_FIVE_MEGABYTES = 5_000_000
_MOST_MEGABYTES = 1_000_000
"""No browser opens a file of a terabyte."""
_Options = argparse._ActionsContainer  # noqa: SLF001  # a parser or a group of its options


def selection(group: _Options) -> None:
    """Add `--metric` and `--slice`."""
    group.add_argument(
        "--metric", action="append", metavar="METRIC", help="show only METRIC, or a list a,b; repeatable"
    )
    group.add_argument(
        "--slice",
        action="append",
        default=[],
        metavar="COLUMN|CONDITION",
        help="show slices, the worst first: one per value of COLUMN, or those that meet a condition such as "
        "'language == \"de\"'; repeatable",
    )


def by_label(group: _Options, meaning: str) -> None:
    """Add `--by`; `meaning` says what it shows."""
    group.add_argument(
        "--by",
        choices=("label", "keypoint"),
        help=f"{meaning}; for means over labels, such as mean average precision",
    )


def choose_on(group: _Options, meaning: str) -> None:
    """Add `--choose-on`; `meaning` says what happens to the items, and ends before "the others"."""
    group.add_argument("--choose-on", metavar="COLUMN=VALUE", help=f"{meaning} the others, e.g. split=val")


def statistics(group: _Options) -> None:
    """Add `--cluster`, `--repeats` and `--level`."""
    group.add_argument(
        "--cluster",
        metavar="COLUMN",
        help="treat items with the same value in COLUMN as dependent (default: `cluster`, if there is such a "
        "column, else `conversation_id`, if several items have one conversation)",
    )
    group.add_argument(
        "--repeats",
        metavar="COLUMN",
        help="treat items with the same value in COLUMN as repetitions of one item (default: `repeat_of`, if "
        "there is such a column)",
    )
    group.add_argument(
        "--level",
        type=float,
        default=LEVEL,
        metavar="LEVEL",
        help="confidence level of intervals, from 0.5 to 1; tests have an error rate of 1 - LEVEL (default: "
        "0.95)",
    )


def bounds(group: _Options) -> None:
    """Add `--bounds`."""
    group.add_argument(
        "--bounds",
        type=_bounds_of,
        action="append",
        default=[],
        metavar="METRIC=LOW,HIGH",
        help="lowest and highest score that any item can have, if you know narrower bounds than the metric's: "
        "intervals and verdicts allow for items there that the sample does not hold; repeatable",
    )


def _bounds_of(text: str) -> tuple[str, tuple[float, float]]:
    name, _, ends = text.rpartition("=")
    try:
        low, high = map(float, ends.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: write METRIC=LOW,HIGH, as in judge_rating=3,5") from None
    return name.strip(), (low, high)


def margin(group: _Options, meaning: str) -> None:
    """Add `--margin`; `meaning` says what a margin decides."""
    group.add_argument(
        "--margin",
        action="append",
        default=[],
        metavar="M|METRIC=M",
        help=f"difference that does not matter, for all metrics or for one: {meaning}; repeatable",
    )


def across_settings(group: _Options) -> None:
    """Add `--across-settings`."""
    group.add_argument(
        "--across-settings",
        action="store_true",
        help="give verdicts even if settings or data of the runs differ",
    )


def page_size(group: _Options) -> None:
    """Add `--max-mb`, the size of an HTML file in millions of bytes."""
    group.add_argument(
        "--max-mb",
        dest="max_bytes",
        type=_bytes,
        default=_FIVE_MEGABYTES,
        metavar="N",
        help="size of an HTML file in megabytes; a larger file holds more pictures (default: 5)",
    )


def image_pages(group: _Options) -> None:
    """Add `--images`, `--image-budget` and `--image-pixels`, the pictures of an HTML file."""
    group.add_argument(
        "--images",
        dest="picture_folder",  # `thresher run --images` reads sizes
        metavar="DIR",
        help="show the worst images in an HTML file, of two runs those on which they differ most, with what "
        "is right, wrong and missed; pictures are found in DIR by file name",
    )
    group.add_argument(
        "--image-budget",
        dest="image_bytes",
        type=_picture_bytes,
        metavar="N",
        help="megabytes of these pictures within --max-mb; if needed, they are made smaller, then fewer "
        "(default: 2.5)",
    )
    group.add_argument(
        "--image-pixels",
        type=int,
        metavar="N",
        help="pixels of the longer side of large pictures, which the first images get if they fit; 224 "
        "for none (default: 640)",
    )


def _bytes(text: str) -> int:
    """Read a number of megabytes, as argparse's `type`: `2.5` or `2.5MB`."""
    try:
        megabytes = float(text.strip().upper().removesuffix("MB"))
    except ValueError:
        megabytes = -1.0
    if not 0 <= megabytes < _MOST_MEGABYTES:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of megabytes")
    return int(megabytes * 1_000_000)


def _picture_bytes(text: str) -> int:
    """Read the budget of pictures, which is not 0."""
    if not (size := _bytes(text)):
        raise argparse.ArgumentTypeError(f"{text!r} leaves no room for a picture; leave out --images instead")
    return size


def output(
    command: argparse.ArgumentParser,
    *,
    pages: bool = False,
    items: bool = True,
    further: Sequence[str] = (),
) -> argparse._ArgumentGroup:
    """Add `--format` and `--output`, and limits of an HTML file; return their group.

    Args:
        command: the command.
        pages: whether it has the options of an HTML page.
        items: whether `--max-rows` limits the items of the page.
        further: formats that only this command has.
    """
    formats = FormatNames([*file_formats(pages=pages), *further])
    group = command.add_argument_group("output")
    group.add_argument(
        "--format",
        choices=formats,
        help="format of the report (default: by the suffix of -o FILE, else table)",
    )
    group.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of printing")
    group.add_argument(
        "--raw",
        action="store_true",
        help="write CSV for programs: without the ' before texts that a spreadsheet would execute",
    )
    command.set_defaults(formats=formats)
    if pages and items:
        group.add_argument(
            "--max-rows",
            type=int,
            default=10_000,
            metavar="N",
            help="put at most N items into an HTML file (default: 10000)",
        )
    if pages:
        page_size(group)
        group.add_argument(
            "--max-bytes",
            type=int,
            default=_FIVE_MEGABYTES,
            metavar="N",
            help="same as --max-mb, in bytes; if needed, pictures are omitted, long texts cut, then items "
            "omitted (default: 5000000)",
        )
    return group


def read_limit(group: _Options) -> None:
    """Add `--read-limit`, which every command that reads files has."""
    group.add_argument(
        "--read-limit",
        action="append",
        default=[],
        metavar="NAME=N",
        help="change a limit for input files, e.g. nesting=500; errors name the limit that a file exceeds; "
        "repeatable",
    )
