"""Options of `thresher run`, `thresher estimate` and `thresher plan`."""

import argparse
import math

from thresher.cli.argument_parser import Commands, count, non_negative, positive
from thresher.cli.common_options import margin, output, statistics
from thresher.cli.data_options import pipeline_and_data
from thresher.cli.model_options import judge, judged_metrics, limits, panel, rates


def run(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add `thresher run`."""
    command = commands.add_parser(
        "run",
        examples=[
            "thresher run qa --data answers.jsonl",
            "thresher run --metrics token_f1,rouge --data answers.csv --map model_answer=predicted_answers",
            "thresher run rag --data answers.jsonl --judge-model gpt-5 --price in=.2,out=.6 --max-cost 2",
        ],
        usage="thresher run RECIPE|METRICS|FILE.yaml --data FILE [options]",
        help="evaluate a data set and store the run",
        description="Evaluate a data set with a recipe, metrics or a pipeline file, and store the run. The "
        "same command continues a run that was stopped.",
    )
    pipeline_and_data(command)
    _run(command)
    judge(command).add_argument(
        "--judge-card",
        action="append",
        default=[],
        metavar="FILE",
        help="store this card of the judge, which `thresher probe --out FILE` wrote, with a new run; reports "
        "show it; repeatable",
    )
    judged_metrics(command)
    panel(command)
    limits(command)
    output(command)
    command.set_defaults(module="run")


def estimate(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add `thresher estimate`."""
    command = commands.add_parser(
        "estimate",
        examples=[
            "thresher estimate rag --data answers.jsonl --price in=0.15,out=0.6",
            "thresher estimate --metrics ragas_faithfulness --data answers.jsonl",
            "thresher estimate qa --data some.jsonl --items 100M --workers 8",
        ],
        usage="thresher estimate RECIPE|METRICS|FILE.yaml --data FILE [options]",
        help="estimate size, calls, tokens, cost and hours without calling a model",
        description="Estimate the size, calls, tokens, cost and hours of a run without calling a model. No "
        "key is needed. More than 10,000 items are estimated from 2,000 of them.",
    )
    pipeline_and_data(command)
    group = command.add_argument_group("size and limits")
    group.add_argument(
        "--items",
        type=count,
        metavar="N",
        help="estimate a run of N items such as those of the data, e.g. 100M (default: those of the data)",
    )
    _chunks(group)
    rates(group)
    group.add_argument(
        "--latency",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="assume that a call takes SECONDS (default: 1)",
    )
    group.add_argument(
        "--batch",
        action="store_true",
        help="estimate a run with --batch: its rounds, its cost, and the hours that it takes at most",
    )
    judge(command)
    judged_metrics(command)
    panel(command)
    output(command)
    command.set_defaults(module="estimate")


def plan(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add `thresher plan`."""
    command = commands.add_parser(
        "plan",
        examples=[
            "thresher plan --difference 0.05 --pilot runs/a runs/b --metric token_f1",
            "thresher plan --difference 0.05 --rates 0.8 --same 0.7",
            "thresher plan --difference 0.05 --sd 0.3 --recipe rag --data some.jsonl --price in=.2,out=.6",
        ],
        usage="thresher plan --difference D (--pilot A B | --sd S | --rates R) [options]",
        help="say how many items show a difference, before a run",
        description="Say how many items a comparison of two systems needs to show a difference, and what they take.",
    )
    command.add_argument(
        "--difference", type=float, required=True, metavar="D", help="the difference to show, e.g. 0.05"
    )
    group = command.add_argument_group("how much items vary")
    basis = group.add_mutually_exclusive_group(required=True)
    basis.add_argument("--pilot", nargs=2, metavar=("A", "B"), help="as in two runs over the same items")
    basis.add_argument(
        "--sd", type=float, metavar="S", help="with a standard deviation S of the difference of an item"
    )
    basis.add_argument(
        "--rates", type=float, metavar="R", help="as 0/1 scores of systems with the rates R and R + D"
    )
    group.add_argument("--metric", metavar="METRIC", help="measure of --pilot (default: its primary measure)")
    group.add_argument(
        "--same",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="share of the items that both systems of --rates answer alike; they answer the others independently "
        "(default: 0)",
    )
    group.add_argument(
        "--range",
        type=_range,
        default=1.0,
        metavar="N",
        help="largest minus smallest possible score for --sd, or none (default: 1)",
    )
    statistics(group)
    group.add_argument(
        "--power", type=float, default=0.8, metavar="P", help="probability of showing it (default: 0.8)"
    )
    group = command.add_argument_group("what they take (default: what --pilot recorded)")
    group.add_argument(
        "--recipe", metavar="RECIPE|METRICS|FILE.yaml", help="estimate its calls an item from --data"
    )
    group.add_argument("--data", metavar="FILE", help="some items such as those that will be evaluated")
    group.add_argument("--judge-model", metavar="MODEL", help="the judge (default: that of the recipe)")
    group.add_argument("--price", metavar="PRICE", help="price of a million tokens, as for `thresher run`")
    output(command)
    command.set_defaults(module="plan")


def _range(text: str) -> float:
    """Read a number, or `none` for no bounds, as argparse's `type`."""
    try:
        return math.inf if text == "none" else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor none") from None


def _run(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("run")
    group.add_argument("--name", metavar="NAME", help="name of the run (default: the data file's name)")
    group.add_argument(
        "--out",
        metavar="DIR",
        help="store the run in DIR, or in an object store at s3://BUCKET/RUN, gs:// or az:// (default: "
        "runs/NAME)",
    )
    group.add_argument(
        "--overwrite",
        action="store_true",
        help="replace a run of other data, metrics or settings in that directory; it is deleted when the new "
        "run is complete (default: stop with an error)",
    )
    group.add_argument(
        "--primary",
        action="append",
        metavar="MEASURE",
        help="test this measure in comparisons, instead of the recipe's primary measures; repeatable",
    )
    looks(group, "--baseline")
    group.add_argument("--baseline", metavar="RUN", help="compare with this run at each of --looks")
    _chunks(group)
    group.add_argument(
        "--shard",
        metavar="I/N",
        help="compute only every N-th chunk, starting with the I-th; N processes share one --out; "
        "each has 1/N of the judge's limits and budget",
    )
    group.add_argument(
        "--engine",
        metavar="NAME",
        help="compute chunks with NAME: `processes` of this machine, `ray` (extra `ray`), or an installed "
        "executor (default: this process, or processes with --workers)",
    )
    group.add_argument(
        "--address",
        metavar="ADDRESS",
        help="use the cluster of --engine at ADDRESS, e.g. auto (default: start the engine on this machine)",
    )
    group.add_argument(
        "--retry-failed", action="store_true", help="ask the judge again about failed items of a finished run"
    )
    group.add_argument(
        "--max-failed",
        type=non_negative,
        metavar="N",
        help="exit with code 3 if more than N items have failed or unreadable scores (default: no limit)",
    )
    group.add_argument("-q", "--quiet", action="store_true", help="show no progress")


def looks(group: argparse._ArgumentGroup, other: str) -> None:
    """Add `--looks` and its margin; `other` names what a run is compared with."""
    group.add_argument(
        "--looks",
        type=positive,
        metavar="N",
        help=f"compare with {other} after each of N parts of the items, and end as soon as a difference is shown or, "
        "with --margin, excluded; all looks together err as seldom as one (default: no look before the end)",
    )
    margin(group, "what a run may lose at --looks")


def _chunks(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--chunk-size",
        type=positive,
        metavar="N",
        help="store results after every N items; a stopped run continues there (default: 10000, or fewer "
        "with several workers)",
    )
    group.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="compute N chunks at a time, in worker processes (default: one after another, in this process)",
    )
