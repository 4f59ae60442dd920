"""`thresher experiment`."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from haystack.core.serialization import component_to_dict

from thresher.cli import asking
from thresher.cli.option_values import margins
from thresher.cli.show import remark, show
from thresher.cli.source import evaluation_pipeline, parse_mapping, selected_note
from thresher.errors import InputError
from thresher.judges.panels.judge_panel import judges_of
from thresher.pipelines.answering.answered_run import REPLIES
from thresher.pipelines.experiments.experiment_file import is_experiment_file, read_experiment_file
from thresher.pipelines.experiments.experiment_results import ExperimentResults
from thresher.pipelines.experiments.experiment_run import ExperimentRun
from thresher.pipelines.experiments.forecast import forecast
from thresher.pipelines.experiments.levels import split_values
from thresher.pipelines.experiments.spec import ExperimentSpec
from thresher.pipelines.experiments.state import prepare_experiment_folder
from thresher.pipelines.sent_secrets import Consent, check_secrets
from thresher.surface import of_experiment

_INCOMPLETE = 3


def run(options: argparse.Namespace) -> int:
    """Run an experiment, or forecast it, and show the leaderboard."""
    with of_experiment():
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    file = options.pipeline if is_experiment_file(options.pipeline) else None
    if file is not None:
        filled = _fill(options, read_experiment_file(file))
        if filled & {"judge_url", "judge_key"}:
            _check_judge(options, file)
    work = ExperimentRun(_spec(options, file))
    for note in selected_note(work.questions):
        remark(f"thresher: {note}")
    asking.choose_judge(options, work.evaluation)
    if options.dry_run:
        expected = forecast(work, asking.prices(options), batch=options.batch)
        show(options, expected.report())
        return _INCOMPLETE if expected.problems else 0
    work.check(asking.prices(options))
    prepare_experiment_folder(work.out)
    session = asking.session(options, work.evaluation, work.out, work.out / REPLIES)
    with session as account, asking.explain_missing_key(options):
        result = work.run()
    usage = asking.usage(account, cached=not options.no_cache, callee="models")
    show(options, result.overview(), [*usage, f"stored in {work.out}"])
    return _code(result)


def _code(result: ExperimentResults) -> int:
    """0, or 3 if a configuration could not run or is incomplete."""
    for name, run_ in result.items():
        if not run_.complete:
            remark(f"thresher: {name} is incomplete: run the same command again to continue")
    return 0 if result.complete else _INCOMPLETE


def _fill(options: argparse.Namespace, values: dict[str, Any]) -> set[str]:
    """Set options from an experiment file unless the command line gives them; return their names."""
    given = {name for name, value in vars(options).items() if isinstance(value, list) and value}
    given |= set(vars(options).get("_given", {}))
    given |= {"recipe", "metrics"} if given & {"recipe", "metrics"} else set()
    options.vary = {**(values.pop("vary", None) or {}), **_varied(options.vary)}
    options.pipeline = values.pop("pipeline")
    filled = {key: value for key, value in values.items() if key not in given}
    for key, value in filled.items():
        setattr(options, key, value)
    return set(filled)


def _check_judge(options: argparse.Namespace, file: str) -> None:
    """Raise InputError if the judge of an experiment file gets a key that is not its provider's."""
    if options.judge_model is not None:
        judges = enumerate(judges_of(asking.named_judge(options)))
        parts = {str(place): component_to_dict(judge, "judge") for place, judge in judges}
        check_secrets(parts, file, Consent(options.trust))


def _spec(options: argparse.Namespace, file: str | None) -> ExperimentSpec:
    if options.questions is None:
        raise InputError("no questions to ask: give --questions FILE")
    vary = options.vary if isinstance(options.vary, dict) else _varied(options.vary)
    chosen = options.recipe or options.metrics
    if chosen is None:
        raise InputError("nothing to measure: give --recipe RECIPE, or --metrics NAME,NAME")
    given = {
        "index_parameter": options.index_parameter,
        "repeats": options.repeats,
        "workers": options.workers,
        "block": options.block,
        "looks": options.looks,
    }
    stated = options.margin if isinstance(options.margin, list) else [options.margin]
    return ExperimentSpec(
        pipeline=options.pipeline,
        questions=options.questions,
        mapping=options.map if isinstance(options.map, dict) else parse_mapping(options.map or ()),
        vary=vary,
        exclude=options.exclude or (),
        configurations=options.configurations,
        recipe=evaluation_pipeline(_words(chosen), options),
        out=options.out or Path("experiments") / Path(file or options.pipeline).stem,
        indexing=options.indexing,
        documents=options.documents,
        limit=options.limit,
        primary=options.primary,
        question_to=options.question_to,
        answer_from=options.answer_from,
        pipeline_inputs=getattr(options, "pipeline_inputs", None) or {},
        progress=not options.quiet,
        trust=options.trust,
        folder=Path(file).parent if file else Path(),
        **margins(list(map(str, stated))),
        **{name: value for name, value in given.items() if value is not None},
    )


def _words(chosen: str | Sequence[str]) -> str:
    return chosen if isinstance(chosen, str) else ",".join(chosen)


def _varied(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Parse `retriever.top_k=3,5,10`."""
    vary: dict[str, list[Any]] = {}
    for text in texts:
        path, equals, values = text.partition("=")
        if not equals or not path.strip() or not values.strip():
            raise InputError(f"--vary {text}: write PATH=VALUES, e.g. --vary retriever.top_k=3,5,10")
        if path.strip() in vary:
            raise InputError(f"--vary {text}: {path} is given twice; give all its values at once")
        vary[path.strip()] = split_values(values)
    return vary
