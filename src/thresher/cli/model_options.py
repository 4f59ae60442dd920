"""Options of judges, of panels, and of limits of calls, for every command that calls models."""

import argparse

from thresher.cli.argument_parser import positive

RULES = ("majority", "plurality", "unanimous", "any", "weighted", "mean", "median", "min", "max")
"""Rules of `thresher.judges.panels.pooling`, which is not imported to read the command line."""


def judge(
    command: argparse.ArgumentParser, default: str = "the judge of the pipeline"
) -> argparse._ArgumentGroup:
    """Add the options that choose a judge; return their group."""
    group = command.add_argument_group(
        "judge", "The model that judged metrics call, with temperature 0 and a fixed seed."
    )
    group.add_argument(
        "--judge-model",
        action="append",
        metavar="MODEL",
        help="use MODEL of OpenAI or of --judge-url; gguf:PATH, a local model file; or recorded:PATH, stored "
        f"replies; repeat for a panel of judges that vote (default: {default})",
    )
    group.add_argument(
        "--judge-url",
        action="append",
        metavar="URL",
        help="base URL of a server with OpenAI's API, for all judges, or repeated in the order of "
        "--judge-model (default: OpenAI)",
    )
    group.add_argument(
        "--judge-key",
        metavar="VARIABLE",
        default="OPENAI_API_KEY",
        help="environment variable that holds the API key (default: OPENAI_API_KEY)",
    )
    group.add_argument(
        "--judge-option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="send this generation setting with every call, e.g. reasoning_effort=low or "
        "max_completion_tokens=4096; VALUE is JSON or text, null omits a setting; repeatable",
    )
    group.add_argument(
        "--price",
        metavar="PRICE",
        help="price of a million tokens as in=X,out=Y[,cached_in=Z][,cache_write=W][,batch=FACTOR], or a "
        "JSON file with a price per model; Z and W are for input that the provider's prompt cache supplies "
        "or stores (default: X), FACTOR is the share of the price that batches cost (default: 0.5)",
    )
    return group


def judged_metrics(command: argparse.ArgumentParser) -> None:
    """Add options of all metrics that ask a judge."""
    group = command.add_argument_group("judged metrics", "What metrics ask a judge.")
    group.add_argument(
        "--templates",
        metavar="FOLDER",
        help="use your own words for prompts: a folder with names as `thresher prompts export` writes them, "
        "or package:folder (default: the shipped prompts, or those that the pipeline sets)",
    )
    group.add_argument(
        "--spans",
        action="store_true",
        help="locate each claim in the answer, with the passage that supports or contradicts it, in metrics "
        "that have the option (default: only where the pipeline sets it)",
    )


def panel(command: argparse.ArgumentParser) -> None:
    """Add the options of a panel of judges."""
    group = command.add_argument_group("panel of judges", "How the votes of several judges are pooled.")
    group.add_argument(
        "--judge-pool",
        choices=RULES,
        metavar="RULE",
        help="pool verdicts by majority, plurality, unanimous (yes if all say yes), any (yes if one does) or "
        "weighted; ratings by mean, median, min, max or weighted (default: majority for verdicts, mean for "
        "ratings)",
    )
    group.add_argument(
        "--judge-ties",
        metavar="POLICY",
        help="score of a tie between labels: undefined or unreadable, no score; first, the vote of the first "
        "judge; or a label such as no (default: undefined)",
    )
    group.add_argument(
        "--judge-votes",
        type=positive,
        metavar="N",
        help="fewest votes that give a verdict (default: more than half of the judges)",
    )
    group.add_argument(
        "--judge-weights",
        metavar="W,W",
        help="weights of the judges, in the order of --judge-model, for --judge-pool weighted",
    )
    group.add_argument(
        "--judge-extractor",
        metavar="MODEL",
        help="judge that extracts statements and claims for all judges (default: the first)",
    )


def limits(command: argparse.ArgumentParser, whose: str = "the judge") -> None:
    """Add limits, budget and cache of the models; `whose` names them."""
    group = command.add_argument_group(f"limits, budget and cache of {whose}")
    group.add_argument(
        "--max-calls", type=positive, metavar="N", help="call the judge at most N times (default: no limit)"
    )
    group.add_argument(
        "--max-cost", type=float, metavar="COST", help="spend at most COST; needs --price (default: no limit)"
    )
    rates(group)
    group.add_argument(
        "--batch",
        action="store_true",
        help="send calls of judged metrics in batches, which cost half at OpenAI and Anthropic and take up "
        "to 24 hours a round (default: live)",
    )
    group.add_argument(
        "--no-wait",
        action="store_true",
        help="leave after submitting the batches, with exit code 3; the same command collects the answers",
    )
    group.add_argument(
        "--poll",
        type=float,
        metavar="SECONDS",
        help="check a batch after SECONDS, then at growing intervals of up to 20 times as many (default: 10)",
    )
    group.add_argument(
        "--prompt-order",
        choices=("instructions-first", "contexts-first", "contexts-first-warmed"),
        default="instructions-first",
        help="contexts-first: put the contexts before the instructions, so that all prompts about an item "
        "have a common beginning, which providers cache; contexts-first-warmed: also wait for the first "
        "reply about an item before its other prompts are sent (default: instructions-first)",
    )
    group.add_argument(
        "--image-detail",
        choices=("auto", "low", "high"),
        help="how closely the judge looks at images that do not say it (default: the judge's default)",
    )
    timeout(group)
    group.add_argument(
        "--cache",
        metavar="FILE",
        help="store replies in FILE and reuse them; a URL such as s3://bucket/answers for several machines "
        "(default: .cache/answers.sqlite next to the run directory)",
    )
    group.add_argument("--no-cache", action="store_true", help="neither store nor reuse replies")


def timeout(group: argparse._ArgumentGroup) -> None:
    """Add `--timeout`."""
    group.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="let one call take at most SECONDS (default: the judge's own setting, or 60)",
    )


def rates(group: argparse._ArgumentGroup) -> None:
    """Add the limits that decide how long the calls of a run take."""
    group.add_argument(
        "--max-concurrency", type=positive, metavar="N", help="run at most N calls at once (default: 16)"
    )
    group.add_argument(
        "--requests-per-minute",
        type=float,
        metavar="N",
        help="start at most N calls per minute (default: no limit)",
    )
    group.add_argument(
        "--tokens-per-minute",
        type=float,
        metavar="N",
        help="send and receive at most N tokens per minute (default: no limit)",
    )
