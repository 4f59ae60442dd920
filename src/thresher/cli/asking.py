"""Who is asked, and what asking may use."""

import argparse
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from haystack import Pipeline

from thresher.errors import InputError
from thresher.judges import Limits, Prices, asking, judge_named
from thresher.judges.engine.account import Account
from thresher.pipelines.judged import judged_components, use_judge
from thresher.pipelines.library import RECIPES

_KEY = "OPENAI_API_KEY"


def choose_judge(options: argparse.Namespace, pipeline: Pipeline) -> None:
    """Let the pipeline ask the judge that the options name; its own one without.

    Raises:
        InputError: if a judge is named and nothing in the pipeline asks one.
    """
    if options.judge_model is None and options.judge_url is None:
        return
    if not judged_components(pipeline):
        raise InputError("--judge-model: no metric of this pipeline asks a judge")
    if options.judge_model is None:
        raise InputError("--judge-url needs --judge-model: which model the server is asked for")
    judge = judge_named(options.judge_model, options.judge_url, key_variable=options.judge_key)
    use_judge(pipeline, judge)


@contextmanager
def key_is_told(options: argparse.Namespace) -> Iterator[None]:
    """Say what a run can do without the key of the judge that nobody chose.

    Raises:
        InputError: in place of the judge's own, if it is about that key.
    """
    try:
        yield
    except InputError as error:
        before, found, _ = str(error).partition(" cannot be used: ")
        if not found or _KEY not in str(error) or options.judge_model is not None:
            raise
        keyless = ", ".join(
            name
            for name, each in sorted(RECIPES.items())
            if "asks a judge" not in each.purpose and each.data == RECIPES["rag"].data
        )
        raise InputError(
            f"{before} cannot be used: {_KEY} is not set; set it, name another judge with --judge-model M "
            f"[--judge-url URL], or take a recipe that asks nobody: {keyless}"
        ) from error


def prices(options: argparse.Namespace) -> Prices | None:
    """What tokens cost, if anybody said."""
    return Prices.parse(options.price) if options.price else None


def session(options: argparse.Namespace, pipeline: Pipeline, out: Path) -> AbstractContextManager[Account]:
    """Limits, budget and kept answers for one run."""
    named = {
        "max_concurrency": options.max_concurrency,
        "requests_per_minute": options.requests_per_minute,
        "tokens_per_minute": options.tokens_per_minute,
        "timeout": options.timeout,
    }
    if options.max_cost is not None and not options.price:
        raise InputError("--max-cost needs --price in=..,out=..: what a million tokens cost")
    if options.cache and options.no_cache:
        raise InputError(f"--cache {options.cache} and --no-cache: give one of them")
    limits = Limits(**{name: value for name, value in named.items() if value is not None})
    return asking(
        limits=limits,
        cache=_cache(options, pipeline, out),
        prices=prices(options),
        max_calls=options.max_calls,
        max_cost=options.max_cost,
    )


def told(account: Account, *, kept: bool) -> list[str]:
    """What asking took; nothing where nobody was asked.

    Args:
        account: what was used.
        kept: whether answers are kept for the next run.
    """
    if not account.calls and not account.known and not account.failures:
        return []
    tokens = account.prompt_tokens + account.completion_tokens
    cost = "" if account.cost is None else f", cost {account.cost:.4f}"
    calls = f"{account.calls} {'call' if account.calls == 1 else 'calls'} to the judge"
    lines = [f"{calls}, {account.known} answers known before, {tokens} tokens{cost}"]
    if account.failures:
        why = ", ".join(f"{reason} ({times})" for reason, times in account.failures.most_common())
        lines.append(f"{account.failures.total()} requests failed: {why}")
    rest = "answers are kept" if kept else "scores are kept, and --no-cache kept no other answers"
    if account.lost:
        lost = account.lost.total()
        asks = "1 ask" if lost == 1 else f"{lost} asks"
        lines.append(f"The judge stopped answering; {asks} got no answer: run again to continue; {rest}.")
    if account.spent:
        lines.append(f"The budget is used up: run again with a larger one to continue; {rest}.")
    return [*lines, *account.notes]


def _cache(options: argparse.Namespace, pipeline: Pipeline, out: Path) -> Path | bool:
    """The file of answers: beside the run, so that runs side by side share it."""
    if options.no_cache or not judged_components(pipeline):
        return False
    if options.cache:
        return Path(options.cache)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out.parent} cannot be made: {error.strerror}") from error
    return out.parent / "answers.sqlite"
