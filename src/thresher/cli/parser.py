"""What the command line understands. Imports nothing heavy: `--help` answers at once."""

import argparse

from thresher.cli.one_line import Parser
from thresher.cli.report_options import (
    TABLES,
    compare,
    grouped,
    inputs_below,
    level,
    margin,
    megabytes,
    output,
    report,
    thresholds,
)
from thresher.datasets.annotation_formats import ANNOTATION_FORMATS
from thresher.version import __version__


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top: argparse.ArgumentParser = Parser(
        prog="thresher",
        description="Evaluate, report and compare: is B better than A, and where does it fail?",
        epilog="Exit codes: 0 fine, 1 a gate failed, 2 wrong usage or unreadable input, 3 could not run, "
        "4 a gate is inconclusive.",
    )
    top.add_argument("--version", action="version", version=f"thresher {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _list(commands)
    _run(commands)
    _estimate(commands)
    report(commands)
    compare(commands)
    thresholds(commands)
    inputs_below(commands)
    _gate(commands)
    _labels(commands)
    _demo(commands)
    return top


def _list(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("list", help="recipes and metrics, with what each needs")
    command.add_argument("--format", choices=("table", "json"), default="table")
    command.set_defaults(module="list_metrics")


def _run(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "run",
        help="evaluate a file of answers",
        description="Evaluate a data set with a recipe, metrics or a pipeline of your own, and keep the run.",
    )
    _source(command)
    command.add_argument("--name", metavar="N", help="name of the run; the file's name without")
    command.add_argument("--out", metavar="DIR", help="where to keep the run; runs/NAME without")
    command.add_argument(
        "--primary",
        action="append",
        metavar="M",
        help="the measure that comparisons test, instead of the recipe's; may be repeated",
    )
    command.add_argument("--chunk-size", type=_count, metavar="N", help="items committed together")
    _judge(command)
    _budget(command)
    command.add_argument(
        "--max-failed",
        type=_whole,
        metavar="N",
        help="exit with 3 if more items have failed or unreadable scores",
    )
    command.add_argument(
        "--retry-failed",
        action="store_true",
        help="ask about failed items of a finished run again",
    )
    command.add_argument(
        "--shard", metavar="I/N", help="only every N-th chunk from the I-th; shards share one --out"
    )
    command.add_argument("--quiet", action="store_true", help="no progress")
    output(command)
    command.set_defaults(module="run")


def _source(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "pipeline",
        metavar="RECIPE|METRICS|FILE.yaml",
        help="a recipe, or metrics separated by commas, see `thresher list`",
    )
    command.add_argument(
        "--data", metavar="FILE", help="JSONL, CSV or Parquet; a BEIR folder; predictions, with --gt"
    )
    command.add_argument("--run", metavar="FILE", help="a TREC run, with --qrels or a BEIR folder")
    command.add_argument("--qrels", metavar="FILE", help="TREC judgements of the run")
    command.add_argument(
        "--split", metavar="S", help="which split of a JSON file, or which judgements of a BEIR folder (test)"
    )
    command.add_argument(
        "--map", action="append", default=[], metavar="COLUMN=SOCKET", help="what a column of the file is"
    )
    command.add_argument(
        "--empty-cells", choices=("missing", "text"), default="missing", help="what they are in CSV"
    )
    command.add_argument(
        "--recorded",
        action="append",
        default=[],
        metavar="COLUMN[:lower][:LOW..HIGH]",
        help="a column of scores to take over as a metric; `:lower` where lower is better; `:0..1` if "
        "scores lie there, which makes intervals honest near the ends",
    )
    command.add_argument("--limit", type=_count, metavar="N", help="only the first N items")
    command.add_argument(
        "--skip-missing", action="store_true", help="leave out metrics whose columns the file lacks"
    )
    _vision(command)


def _vision(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("labels, objects and pixels")
    kinds = ", ".join(known.description for known in ANNOTATION_FORMATS.values())
    group.add_argument("--gt", metavar="PATH", help=f"ground truth, one of: {kinds}")
    group.add_argument(
        "--gt-format", choices=tuple(ANNOTATION_FORMATS), help="format of --gt, if its files leave it open"
    )
    group.add_argument(
        "--geometries",
        choices=("boxes", "masks", "polygons"),
        help="what to read of COCO files; what the recipe compares without",
    )
    group.add_argument(
        "--difficult",
        choices=("ignore", "keep", "drop"),
        help="objects that Pascal VOC files mark as difficult: ignored with what finds them (as VOC's kit "
        "does, and the default), kept as any other, or left out, so that what finds them is wrong",
    )
    _label_files(group)


def _label_files(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--labels",
        metavar="FILE",
        help="labels of YOLO's classes or of the values of PNG files, one per line from 0, or a JSON object "
        "value -> label; classes.txt of --gt without",
    )
    group.add_argument(
        "--images", metavar="DIR", help="the images of YOLO's files, whose sizes turn shares into pixels"
    )
    group.add_argument(
        "--ignore", type=int, metavar="VALUE", help="pixels of this true value in PNG files do not count"
    )
    group.add_argument(
        "--background", type=int, metavar="VALUE", help="the value of pixels without a label in PNG files"
    )
    group.add_argument(
        "--about",
        metavar="FILE",
        help="a table with more columns of the images, by `id`, for `report --slice`",
    )
    group.add_argument(
        "--scores", metavar="PREFIX", help="beginning of columns with the score of one label each (score_)"
    )
    group.add_argument(
        "--positive",
        metavar="LABEL",
        help="of two labels, the one that a single column of scores is the probability of (1, true, yes)",
    )


def _judge(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("the judge", "for metrics that ask a model; temperature 0 and a seed")
    group.add_argument(
        "--judge-model",
        metavar="M",
        help="a model of OpenAI's or of the server; or gguf:PATH; or recorded:PATH, replies kept earlier",
    )
    group.add_argument("--judge-url", metavar="URL", help="a server with OpenAI's API")
    group.add_argument("--judge-key", metavar="VAR", default="OPENAI_API_KEY", help="variable with the key")
    group.add_argument(
        "--price", metavar="P", help="in=..,out=.. for a million tokens, or a JSON file by model"
    )


def _budget(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("asking the judge")
    group.add_argument("--max-calls", type=_count, metavar="N", help="ask no more than N times")
    group.add_argument("--max-cost", type=float, metavar="C", help="spend no more than C; needs --price")
    group.add_argument("--max-concurrency", type=_count, metavar="N", help="calls in flight (16)")
    group.add_argument("--requests-per-minute", type=float, metavar="N")
    group.add_argument("--tokens-per-minute", type=float, metavar="N")
    group.add_argument("--timeout", type=float, metavar="S", help="seconds that one call may take")
    group.add_argument("--cache", metavar="FILE", help="answers already given; answers.sqlite beside the run")
    group.add_argument("--no-cache", action="store_true", help="keep no answers")


def _estimate(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("estimate", help="calls, tokens and cost of a run; asks nobody")
    _source(command)
    _judge(command)
    output(command)
    command.set_defaults(module="estimate")


def _gate(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "gate",
        help="may this run pass? for continuous integration",
        description="Hold a stored run against requirements; see docs/gates.md for what can be required.",
        epilog="Exit codes: 0 passed, 1 failed, 2 usage, 3 could not run, 4 inconclusive.",
    )
    command.add_argument("run", metavar="RUN", help="a run directory")
    command.add_argument("--baseline", metavar="RUN", help="the run directory to compare with")
    command.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="REQUIREMENT",
        help="e.g. 'faithfulness>=0.8', 'recall>=baseline-0.02', 'no-regression within 0.02'; repeatable",
    )
    command.add_argument(
        "--requirements",
        action="append",
        default=[],
        metavar="FILE",
        help="YAML or TOML with a list `require`",
    )
    command.add_argument(
        "--decide",
        choices=("interval", "value"),
        default="interval",
        help="`value` leaves the interval aside, so nothing is inconclusive",
    )
    command.add_argument(
        "--allow-missing",
        metavar="SHARE",
        help="decide although this share of the scores, e.g. 2%%, is missing; none by default",
    )
    command.add_argument(
        "--across-settings", action="store_true", help="decide even where settings or data differ"
    )
    margin(command, "how much worse `no-regression` without `within` accepts")
    grouped(command)
    level(command)
    command.add_argument("--format", choices=("table", "markdown", "json", "junit"), default="table")
    command.add_argument("-o", "--output", metavar="FILE", help="write there instead of printing")
    command.add_argument("--junit", metavar="FILE", help="write JUnit XML there, too")
    command.add_argument("--html", metavar="FILE", help="write the whole report as one HTML file there, too")
    megabytes(command)
    command.set_defaults(max_bytes=5_000_000)
    command.set_defaults(module="gate")


def _labels(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "labels", help="draw items for people to label; read the labels back and hold a judge against them"
    )
    command.set_defaults(module="labels")
    actions = command.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")
    _draw_labels(actions)
    _read_labels(actions)


def _draw_labels(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = actions.add_parser("draw", help="a sheet with random items and empty labels")
    command.add_argument("run", metavar="RUN", help="a run directory")
    command.add_argument("--n", type=_count, default=100, metavar="N", help="how many items (100)")
    command.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the draw (0)")
    command.add_argument("--metric", metavar="M", help="only items that this metric scored")
    command.add_argument(
        "--by", metavar="COLUMN", help="each entry of the column with its share of the items"
    )
    command.add_argument("--raters", type=_count, default=1, metavar="K", help="columns of labels (1)")
    command.add_argument(
        "--with-scores", action="store_true", help="show the scores, which leads whoever labels"
    )
    command.add_argument("-o", "--output", metavar="FILE", help="a CSV file, or .xlsx; printed without")


def _read_labels(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = actions.add_parser("read", help="agreement, quality of the judge, corrected mean")
    command.add_argument("run", metavar="RUN", help="the run directory that the sheet was drawn from")
    command.add_argument("--labels", required=True, metavar="FILE", help="the sheet, filled in")
    command.add_argument("--metric", required=True, metavar="M", help="the judge's metric")
    command.add_argument(
        "--threshold", type=float, metavar="T", help="what counts as good, for scores and labels alike"
    )
    command.add_argument(
        "--label-column",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a rater's column; `label` and all `label_...` without; may be repeated",
    )
    output(command, *TABLES)


def _demo(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("demo", help="the main job on shipped data: no key, no network")
    command.add_argument("--out", metavar="DIR", help="keep the two runs there; otherwise nothing is kept")
    command.set_defaults(module="demo")


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 0")
    return int(text)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)
