"""Options of `thresher experiment`."""

import argparse

from thresher.cli.argument_parser import Commands, positive
from thresher.cli.common_options import output
from thresher.cli.data_options import mapped_columns
from thresher.cli.model_options import judge, judged_metrics, limits, panel
from thresher.cli.run_options import looks


def experiment(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add `thresher experiment`."""
    command = commands.add_parser(
        "experiment",
        examples=[
            "thresher experiment rag.yaml --questions q.jsonl --vary retriever.top_k=3,5,10 --out runs/top-k",
            "thresher experiment experiment.yaml --dry-run",
        ],
        usage="thresher experiment PIPELINE --questions FILE [--vary PATH=V,V] [options]\n"
        "       thresher experiment EXPERIMENT [options]",
        help="vary a query pipeline, answer questions with each configuration, and compare them",
        description="Answer questions with every configuration of a Haystack query pipeline, score the "
        "answers, and compare the configurations. The same command continues an experiment that was stopped, "
        "and adds configurations if the values change.",
    )
    command.add_argument(
        "pipeline",
        metavar="PIPELINE|EXPERIMENT",
        help="YAML file of a Haystack query pipeline, or one with the options of this command as keys",
    )
    command.add_argument(
        "--trust",
        action="store_true",
        help="allow pipeline files to send any environment variable to any address that they name (default: "
        "only keys of known providers to their providers)",
    )
    _questions(command)
    _variation(command)
    _index(command)
    _work(command)
    judge(command)
    judged_metrics(command)
    panel(command)
    limits(command, "generators and judge")
    output(command, pages=True)
    command.set_defaults(module="experiment")


def _questions(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("questions and metrics")
    group.add_argument(
        "--questions", metavar="FILE", help="questions, with what the metrics compare the answers with"
    )
    mapped_columns(group)
    group.add_argument(
        "--limit", type=positive, metavar="N", help="ask only the first N questions (default: all)"
    )
    chosen = group.add_mutually_exclusive_group()
    chosen.add_argument("--recipe", metavar="RECIPE|FILE.yaml", help="score with a recipe or a pipeline file")
    chosen.add_argument(
        "--metrics", metavar="NAME,NAME", help="score with these metrics instead; `thresher list` lists them"
    )
    group.add_argument(
        "--primary",
        action="append",
        metavar="MEASURE",
        help="order and test by this measure, instead of the recipe's primary measure; repeatable",
    )


def _variation(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("what varies")
    group.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="PATH=VALUES",
        help="values of COMPONENT.PARAMETER[.KEY], separated by commas: YAML scalars, or @FILE for the "
        "content of a file; repeatable, all combinations are run",
    )
    group.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="CONDITION",
        help="leave out configurations that meet a condition such as 'retriever.top_k < ranker.top_k'; "
        "repeatable",
    )
    group.add_argument(
        "--configurations",
        metavar="FILE",
        help="run named configurations too: YAML or JSON, NAME: {PATH: VALUE}, or a list of {PATH: VALUE}",
    )


def _index(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("index")
    group.add_argument(
        "--indexing",
        metavar="FILE.yaml",
        help="a pipeline that writes the documents; run once for each distinct configuration of it",
    )
    group.add_argument(
        "--documents",
        metavar="FILE|DIR",
        help="documents for --indexing: a table with one per row, or a folder of texts",
    )
    group.add_argument(
        "--index-parameter",
        metavar="NAME",
        help="parameter of document stores that holds the name of the collection (default: index)",
    )


def _work(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("experiment")
    group.add_argument(
        "--out", metavar="DIR", help="store the runs in DIR (default: experiments/NAME of the file)"
    )
    group.add_argument("--repeats", type=positive, metavar="N", help="ask each question N times (default: 1)")
    group.add_argument(
        "--workers", type=positive, metavar="N", help="run the pipeline N times at once (default: 8)"
    )
    group.add_argument(
        "--block",
        type=positive,
        metavar="N",
        help="ask N questions before the next configuration's turn (default: 10)",
    )
    looks(group, "the first of two configurations")
    group.add_argument(
        "--question-to",
        action="append",
        metavar="COMPONENT.SOCKET",
        help="give the question to this input (default: open inputs called query, question or text); "
        "repeatable",
    )
    group.add_argument(
        "--answer-from",
        metavar="COMPONENT.SOCKET",
        help="use this output as the answer, if there are several",
    )
    group.add_argument(
        "--dry-run",
        action="store_true",
        help="show configurations, indexes, calls, tokens and cost without calling a model or writing a file",
    )
    group.add_argument("--quiet", action="store_true", help="show no progress")
