"""`evaluate_pipeline`: ask a query pipeline questions, and score its answers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.errors import InputError
from thresher.judges.settings import Prices
from thresher.pipelines.answering import QueryPipeline
from thresher.pipelines.answering.evaluation import AnsweringOptions, evaluate_answers
from thresher.pipelines.answering.question_data import question_data
from thresher.pipelines.experiments.stores import empty_stores
from thresher.pipelines.loading import load_pipeline
from thresher.pipelines.runner import evaluation_pipeline
from thresher.reports.evaluation_results import EvaluationResults


def evaluate_pipeline(
    pipeline: Pipeline | str | Path,
    questions: Any,
    metrics: Pipeline | str | Sequence[Any] | Mapping[str, Any] = "qa",
    *,
    name: str = "",
    out: str | Path | None = None,
    workers: int = 8,
    repeats: int = 1,
    primary: Sequence[str] | None = None,
    prices: Prices | None = None,
    max_cost: float | None = None,
    question_to: Sequence[str] | None = None,
    pipeline_inputs: Mapping[str, Mapping[str, Any]] | None = None,
    answer_from: str | None = None,
    progress: bool = False,
    trust: bool = False,
) -> EvaluationResults:
    """Ask a Haystack query pipeline questions, and score its answers.

    ```python
    results = evaluate_pipeline("rag.yaml", "questions.jsonl", "qa", out="runs/rag")
    print(results)
    ```

    A question on which the pipeline fails has the status `failed` with the cause in every metric; all others
    are scored.

    Args:
        pipeline: a Haystack pipeline that answers questions, or its YAML file.
        questions: the questions and their reference answers, relevant documents and so on: a file, a
            `Dataset`, a list of texts, or anything else that `read_dataset` reads. A column `answer` holds
            reference answers; columns that the pipeline produces, such as contexts, are replaced.
        metrics: a recipe, names of metrics separated by commas, an evaluation pipeline, or metrics for
            `build`.
        name: name of the run; default: that of the data.
        out: folder of a run directory; the same call continues an interrupted run: answered questions are not
            asked again, failed ones are, and stored replies of generators are reused.
        workers: concurrent runs of the pipeline, and concurrent calls of a judge.
        repeats: how often the pipeline is asked each question; repeats are averaged in reports.
        primary: names of the measures that comparisons test.
        prices: prices of the tokens of generators, for the column `costs`.
        max_cost: money that generators and judges may cost together; needs `prices`. No further questions
            are asked once it is spent, and the run is incomplete.
        question_to: sockets of the pipeline that get the question, as `component.socket`; default: the open
            ones called `query`, `question` or `text`, or an agent's `messages`.
        pipeline_inputs: further inputs of the pipeline, the same for every question.
        answer_from: the output of the pipeline that is the answer, as `component.socket`; default: a
            GeneratedAnswer, replies, or the only output with a name such as `answer`.
        progress: whether to show progress on standard error.
        trust: whether a YAML file may send any environment variable to any address; see `load_pipeline`.

    Returns:
        The results. If a judge stopped answering or a budget ended, `complete` is False and an
        IncompleteWarning reports what is missing; the same call continues a run that has a folder.

    Raises:
        InputError: before any model is called, if a metric needs a column that neither questions nor
            pipeline have, no output of the pipeline can be an answer, or an in-memory store is empty; and if
            the first ten questions all fail for one permanent reason.
        RunDirectoryError: if `out` holds another run, or cannot be written.

    Warns:
        DataWarning: if questions have no answer: how many, and the commonest cause.
    """
    if not isinstance(pipeline, Pipeline | str | Path):
        raise InputError(f"pipeline is {type(pipeline).__name__}; give a Haystack pipeline or its YAML file")
    options = AnsweringOptions(name, workers, repeats, primary, prices, max_cost, progress)
    system = pipeline if isinstance(pipeline, Pipeline) else load_pipeline(pipeline, trust=trust)
    if empty := empty_stores(system):
        raise InputError(
            f"{', '.join(empty)}: the in-memory store is empty (YAML does not hold its documents); write "
            "them to it and pass the Pipeline, or call experiment with indexing= and documents="
        )
    query = QueryPipeline(system, question_to, pipeline_inputs, answer_from)
    return evaluate_answers(
        query, evaluation_pipeline(metrics), question_data(questions, query), out, options
    )
