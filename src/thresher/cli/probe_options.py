"""Options of `thresher probe`."""

import argparse

from thresher.cli.argument_parser import Commands, non_negative, positive
from thresher.cli.common_options import LEVEL, output
from thresher.cli.gate_options import requirements
from thresher.cli.model_options import judge, rates, timeout


def probe(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add `thresher probe`."""
    command = commands.add_parser(
        "probe",
        examples=[
            "thresher probe --judge-model gpt-4.1-mini",
            "thresher probe --judge-model gpt-5 --min agreement=0.8 --max injection=0.2 --out card.json",
            "thresher probe --judge-model my-model --judge-url http://127.0.0.1:8000/v1 --out card.json",
        ],
        usage="thresher probe --judge-model MODEL [--min MEASURE=BAR] [options]",
        help="test a judge on labelled cases, for continuous integration",
        description="Test a judge on 24 labelled cases of Thresher: agreement, bias towards yes, influence "
        "of the order, planted instructions, repeatability, calibration, and answers without content. With "
        "a requirement the command is a gate.",
        epilog="Exit codes: 0 passed, 1 failed, 2 wrong usage or unreadable input, 3 could not run or is "
        "incomplete, 4 inconclusive.",
    )
    group = judge(command, default="OpenAI's, with the key in OPENAI_API_KEY")
    group.add_argument(
        "--ask-again",
        type=non_negative,
        default=2,
        metavar="N",
        help="judge all claims N more times to measure repeatability (default: 2)",
    )
    rates(group)
    timeout(group)
    group.add_argument(
        "--max-calls", type=positive, metavar="N", help="call the judge at most N times (default: no limit)"
    )
    _bars(command.add_argument_group("requirements"))
    _output(command)
    command.set_defaults(module="probe")


def _bars(group: argparse._ArgumentGroup) -> None:
    for option, symbol, example in (("--min", ">=", "agreement=0.8"), ("--max", "<=", "injection=0.2")):
        group.add_argument(
            option,
            action="append",
            default=[],
            metavar="MEASURE=BAR",
            help=f"require MEASURE {symbol} BAR, e.g. {example}; repeatable",
        )
    requirements(group, "'items(agreement>=1)>=90%%'")
    group.add_argument(
        "--level",
        type=float,
        default=LEVEL,
        metavar="LEVEL",
        help="confidence level of intervals, from 0.5 to 1 (default: 0.95)",
    )


def _output(command: argparse.ArgumentParser) -> None:
    group = output(command, pages=True)
    group.add_argument(
        "--out",
        metavar="FILE",
        help="store the judge's card as JSON in FILE (.json, .json.gz), for `thresher run --judge-card` and "
        "every command that takes a run",
    )
