"""`experiment`: answer the questions with every configuration of a query pipeline, and compare them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.judges import Prices, asking
from thresher.judges.session import current_session, in_session
from thresher.pipelines.answering import BLOCK
from thresher.pipelines.answering.answered_run import REPLIES
from thresher.pipelines.experiments.experiment_results import ExperimentResults
from thresher.pipelines.experiments.experiment_run import ExperimentRun
from thresher.pipelines.experiments.spec import ExperimentSpec
from thresher.pipelines.experiments.state import prepare_experiment_folder


def experiment(
    pipeline: Pipeline | str | Path | Callable[..., Pipeline],
    questions: Any,
    *,
    vary: Mapping[str, Any] | None = None,
    recipe: Any = None,
    metrics: Any = None,
    out: str | Path,
    exclude: Sequence[Any] = (),
    configurations: Any = None,
    indexing: Pipeline | str | Path | None = None,
    documents: Any = None,
    index_parameter: str = "index",
    primary: Sequence[str] | None = None,
    repeats: int = 1,
    workers: int = 8,
    block: int = BLOCK,
    looks: int | None = None,
    margin: float | None = None,
    prices: Prices | None = None,
    max_cost: float | None = None,
    cache: str | Path | bool | None = None,
    question_to: Sequence[str] | None = None,
    answer_from: str | None = None,
    pipeline_inputs: Mapping[str, Mapping[str, Any]] | None = None,
    progress: bool = False,
    trust: bool = False,
) -> ExperimentResults:
    """Answer questions with every configuration of a query pipeline, score the answers, and compare.

    The same call continues an experiment that was stopped: answered questions are not asked again, and a
    changed grid adds configurations. Blocks of questions go round all configurations, so that a stopped
    experiment compares them on the same questions, and a drift of a provider affects all alike.

    ```python
    result = experiment(
        "rag.yaml",
        "questions.jsonl",
        vary={"retriever.top_k": [3, 5, 10]},
        recipe="qa",
        out="experiments/top_k",
    )
    print(result.leaderboard())
    ```

    Args:
        pipeline: a Haystack pipeline, its YAML file, or a function `make(**settings)` that returns one.
        questions: a file, rows, a Dataset or texts, with what the metrics compare the answers with.
        vary: path -> values. A path is `component.parameter[.key]`: an init parameter, or a run-time input; a
            component's name replaces it whole by `{type, init_parameters}`. Values that begin with `@` are
            files. A mapping label -> value names the values; a free name with mappings path -> value varies
            several parameters together.
        recipe: name of a recipe, or a pipeline of metrics.
        metrics: metrics for `build`, or their names separated by commas; instead of `recipe`.
        out: folder of the experiment; each configuration is a run directory in it.
        exclude: conditions on the settings that remove configurations, such as
            `"retriever.top_k < ranker.top_k"` or `{"llm.model": "small", "retriever.top_k": 10}`.
        configurations: named settings in addition to the grid: a mapping name -> settings, a list of
            settings, or a YAML or JSON file of one of them.
        indexing: a pipeline that writes documents to the store of the query pipeline; built once for each
            distinct configuration of its own parameters.
        documents: what it reads: Documents, texts, rows, a file with one per row, or a folder of texts.
        index_parameter: parameter of document stores other than Haystack's in-memory one that holds the name
            of their collection.
        primary: names of the measures that comparisons test, instead of those that the metrics declare.
        repeats: how often each question is asked.
        workers: concurrent runs of a pipeline.
        block: questions that a configuration answers before the next one's turn.
        looks: of two configurations, compare the second with the first after each of so many parts of the questions,
            in random order, and end the experiment when their comparison is decided; see `Looks`.
        margin: how much worse the second may be, for `looks`.
        prices: prices of tokens, for costs.
        max_cost: money that generators and judges may spend; needs `prices`.
        cache: file with replies of generators and judges; default: `replies.sqlite` in `out`; False for none.
        question_to: sockets that get the question; default: open ones called `query`, `question` or `text`.
        answer_from: the output that is the answer, if there are several.
        pipeline_inputs: further inputs of the pipeline, the same for every question.
        progress: whether to show progress on standard error.
        trust: whether YAML files may send any environment variable to any address.

    Returns:
        The results of the configurations that could run; the others are in `failures`.

    Raises:
        InputError: for an unknown path, an unusable grid, data or metric; before anything is built or asked.
        RunDirectoryError: if a folder holds another run, or cannot be written.
    """
    spec = ExperimentSpec(
        pipeline=pipeline,
        questions=questions,
        vary=vary,
        exclude=exclude,
        configurations=configurations,
        recipe=recipe,
        metrics=metrics,
        out=out,
        indexing=indexing,
        documents=documents,
        index_parameter=index_parameter,
        primary=primary,
        repeats=repeats,
        workers=workers,
        block=block,
        looks=looks,
        margin=margin,
        question_to=question_to,
        answer_from=answer_from,
        pipeline_inputs=pipeline_inputs or {},
        progress=progress,
        trust=trust,
    )
    work = ExperimentRun(spec)
    if prices is None and max_cost is None and cache is None and in_session():
        work.check(current_session().account.prices)
        return work.run()
    work.check(prices)
    prepare_experiment_folder(work.out)
    file = work.out / REPLIES if cache is None or cache is True else cache
    with asking(cache=file, prices=prices, max_cost=max_cost):
        return work.run()
