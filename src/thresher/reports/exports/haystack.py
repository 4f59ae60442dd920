"""A run as Haystack's `EvaluationRunResult`."""

from haystack.evaluation import EvaluationRunResult

from thresher.reports.runs.run_data import RunData


def to_haystack(run: RunData) -> EvaluationRunResult:
    """Return the inputs, values and item scores of a run.

    Haystack requires an input column and item scores: without inputs, the ids are the column; NaN is the
    score of an item without one, and of every item under a measure of the whole run only, such as mAP.
    """
    inputs = {name: list(column) for name, column in run.inputs.items()} or {"id": list(run.ids)}
    results = {
        name: {"score": metric.value, "individual_scores": metric.scores.tolist()}
        for name, metric in run.metrics.items()
    }
    return EvaluationRunResult(run_name=run.name, inputs=inputs, results=results)
