"""Set up the judge, its limits, budget and cache; report what it used."""

import argparse
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.cli.judge_options import add_options, judge_options
from thresher.cli.panel_options import check_panel_options, panel_options
from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.stores import Location, is_url
from thresher.judges import BatchSettings, JudgePanel, Limits, Prices, asking, judge_named
from thresher.judges.engine.account import Account
from thresher.judges.engine.shard_answers import cache_file
from thresher.pipelines.judged import judged_components, locate_claims, use_judge, use_templates
from thresher.pipelines.library import RECIPES

_KEY = "OPENAI_API_KEY"
_HIDDEN, _REPLIES = ".cache", "answers.sqlite"


def choose_judge(options: argparse.Namespace, pipeline: Pipeline) -> None:
    """Set the judge that the options name on all judged metrics; default: the pipeline's own judge.

    Raises:
        InputError: if a judge or a setting of it is given and no metric of the pipeline calls one.
    """
    settings = judge_options(options.judge_option)
    named = options.judge_model is not None or options.judge_url is not None
    if (named or settings) and not judged_components(pipeline):
        option = "--judge-model" if named else "--judge-option"
        raise InputError(f"{option}: no metric of this pipeline calls a judge; remove the option")
    check_panel_options(options)
    if named:
        use_judge(pipeline, named_judge(options))
    if settings:
        add_options(pipeline, settings)
    if options.spans:
        locate_claims(pipeline)
    if options.templates is not None:
        use_templates(pipeline, options.templates)


def named_judge(options: argparse.Namespace) -> Any:
    """Return the judge that the options name; a panel for several.

    Raises:
        InputError: for a url without a model, another number of urls, and as `judge_named` does.
    """
    models, urls = options.judge_model, options.judge_url or [None]
    if models is None:
        raise InputError("--judge-url needs --judge-model: name the model that the server offers")
    if len(urls) not in (1, len(models)):
        raise InputError(
            f"--judge-url is given {counted(len(urls), 'time')} for {counted(len(models), 'judge')}: give it "
            "once for all of them, or once for each --judge-model, in the same order"
        )
    hosted = urls if len(urls) == len(models) else urls * len(models)
    judges = [
        judge_named(model, url, key_variable=options.judge_key)
        for model, url in zip(models, hosted, strict=True)
    ]
    return judges[0] if len(judges) == 1 else JudgePanel(judges, **panel_options(options))


@contextmanager
def explain_missing_key(options: argparse.Namespace) -> Iterator[None]:
    """Name alternatives if the default judge lacks its key.

    Raises:
        InputError: replaces the judge's own error about the key.
    """
    try:
        yield
    except InputError as error:
        subject, separator, _ = str(error).partition(" cannot be used: ")
        if not separator or _KEY not in str(error) or options.judge_model is not None:
            raise
        keyless = ", ".join(
            name
            for name, recipe in sorted(RECIPES.items())
            if "asks a judge" not in recipe.purpose and recipe.data == RECIPES["rag"].data
        )
        raise InputError(
            f"{subject} cannot be used: {_KEY} is not set; set it, name another judge with --judge-model M "
            f"[--judge-url URL], or use a recipe without a judge: {keyless}"
        ) from error


def prices(options: argparse.Namespace) -> Prices | None:
    """Return the prices that `--price` gives, if any."""
    return Prices.parse(options.price) if options.price else None


def limits(options: argparse.Namespace) -> Limits:
    """Return the limits that the options give; `thresher estimate` has no time-out."""
    names = ("max_concurrency", "requests_per_minute", "tokens_per_minute", "timeout")
    given = {name: getattr(options, name, None) for name in names}
    return Limits(**{name: value for name, value in given.items() if value is not None})


def session(
    options: argparse.Namespace,
    pipeline: Pipeline,
    out: Location,
    cache: Path | None = None,
    shard: tuple[int, int] | None = None,
) -> AbstractContextManager[Account]:
    """Open the session of one run, with its limits, budget and cache.

    Args:
        options: the parsed options.
        pipeline: the evaluation pipeline.
        out: the run directory.
        cache: the default of `--cache`; None for a file next to the run directory.
        shard: `(i, n)` if this process computes the i-th of n shards.
    """
    if options.max_cost is not None and not options.price:
        raise InputError("--max-cost needs the price of a million tokens: add --price in=X,out=Y")
    if options.cache and options.no_cache:
        raise InputError(f"--cache {options.cache} contradicts --no-cache: remove one of them")
    chosen = _cache(options, pipeline, out) if cache is None else _chosen_cache(options, cache)
    return asking(
        limits=limits(options),
        cache=chosen if isinstance(chosen, bool) else cache_file(chosen, shard),
        prices=prices(options),
        max_calls=options.max_calls,
        max_cost=options.max_cost,
        batch=batch_settings(options, chosen),
        prompt_order=options.prompt_order.replace("-", "_"),
        image_detail=options.image_detail,
    )


def batch_settings(options: argparse.Namespace, cache: Path | bool = True) -> BatchSettings | None:
    """Return the settings of `--batch`; None without it.

    Args:
        options: the parsed options.
        cache: the answer cache of the session.

    Raises:
        InputError: if another option contradicts batches, or needs them.
    """
    if not options.batch:
        if options.no_wait or options.poll is not None:
            raise InputError(f"{'--no-wait' if options.no_wait else '--poll'} is for batches: add --batch")
        return None
    if cache is False and not options.no_cache:
        raise InputError("--batch: no metric of this pipeline calls a judge; remove the option")
    if cache is False or is_url(options.cache):
        given = "--no-cache" if cache is False else f"--cache {options.cache}"
        raise InputError(
            f"--batch needs an answer cache in a file of this machine, so that a stopped run does not pay "
            f"twice: remove {given}"
        )
    if options.poll is not None and not options.poll > 0:
        raise InputError(f"--poll {options.poll:g}: give a number of seconds above 0")
    first = {} if options.poll is None else {"first_poll": options.poll, "last_poll": 20 * options.poll}
    return BatchSettings(wait=not options.no_wait, **first)


def usage(account: Account, *, cached: bool, callee: str = "the judge") -> list[str]:
    """Describe calls, tokens, cost and failures; empty if no model was called.

    Args:
        account: the session's counts.
        cached: whether replies are stored for the next run.
        callee: the models that were called, for the sentence.
    """
    if not (account.calls or account.known or account.failures or account.answers):
        return []
    number = account.prompt_tokens + account.completion_tokens
    tokens = counted(number, "token") if number or not account.calls else "tokens not reported"
    shares = {"of cached input": account.cached_tokens, "of reasoning": account.reasoning_tokens}
    parts = ", ".join(f"{count} {share}" for share, count in shares.items() if count)
    tokens += f" ({parts})" if parts else ""
    cost = "" if account.cost is None else f", cost {account.cost:.4f}"
    calls = f"{counted(account.calls, 'call')} to {callee}"
    batched = f" ({counted(account.batched, 'answer')} in batches)" if account.batched else ""
    lines = [f"{calls}{batched}, {counted(account.known, 'reply', 'replies')} from the cache, {tokens}{cost}"]
    if account.failures:
        why = ", ".join(f"{reason} ({times})" for reason, times in account.failures.most_common())
        lines.append(f"{counted(account.failures.total(), 'request')} failed: {why}")
    rest = "replies are stored" if cached else "scores are stored, but --no-cache stored no replies"
    if account.lost:
        requests = counted(account.lost.total(), "request")
        lines.append(f"The judge stopped answering; {requests} got no reply: run again to continue; {rest}.")
    if account.pending:
        answers = counted(account.pending, "answer is", "answers are")
        lines.append(f"{answers} pending in batches: run the same command again to collect them.")
    if account.spent:
        lines.append(f"The budget is used up: run again with a larger one to continue; {rest}.")
    return [*lines, *account.notes]


def _chosen_cache(options: argparse.Namespace, default: Path) -> Path | bool:
    return False if options.no_cache else Path(options.cache or default)


def _cache(options: argparse.Namespace, pipeline: Pipeline, out: Location) -> Path | bool:
    """Return the cache file.

    Its default is in a hidden folder next to the run directory: runs share it, and `runs/*` does not name it.
    For a run in an object store, it is in `runs`: a database needs a disk.
    """
    if options.no_cache or not judged_components(pipeline):
        return False
    if options.cache:
        return Path(options.cache)
    folder = Path("runs") if is_url(out) else Path(out).parent
    hidden = folder / _HIDDEN
    try:
        hidden.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot create {hidden}: {error.strerror}") from error
    return hidden / _REPLIES
