"""The judged part of `thresher demo`: it replays recorded replies of a small model."""

from importlib.resources import as_file, files
from pathlib import Path

from thresher.datasets import Dataset, read_dataset
from thresher.judges import RecordedChatGenerator, asking
from thresher.pipelines.judged import use_judge
from thresher.pipelines.loading import load_pipeline
from thresher.pipelines.runner import evaluate
from thresher.reports.evaluation_results import EvaluationResults

ITEMS = 8
"""The first items of the data, for which replies were recorded."""
RECORDING = "demo"
_METRIC = "valor_answer_relevance"


def judged_run(name: str, out: Path) -> EvaluationResults:
    """Judge one run of the demo by the recording, without calling a model.

    Args:
        name: name of the demo's data.
        out: directory to store the run in.
    """
    with as_file(files("thresher.datasets") / "demo" / "judged.yaml") as path:
        pipeline = load_pipeline(path)
    use_judge(pipeline, RecordedChatGenerator(RECORDING))
    with asking(cache=False):
        return evaluate(pipeline, _dataset(name), name=f"{name}-judged", out=out)


def about() -> str:
    """Explain who judges, and how far to trust it."""
    model = RecordedChatGenerator(RECORDING).model.partition(":")[2]
    return (
        f"The judge is a recording: replies that the small model {model} gave to these prompts for "
        f"the first {ITEMS} items. It needs no key and no network. A model of this size is often wrong, so "
        "read its reasons; choose a larger one with --judge-model."
    )


def worst_item(results: EvaluationResults) -> str:
    """Show the item with the lowest answer relevance and each verdict on it."""
    result = results.metrics[_METRIC].result
    scores = result.item_scores(_METRIC)
    worst = min((item for item in range(len(scores)) if result.scored[item]), key=lambda item: scores[item])
    shown = {column: entries[worst] for column, entries in results.inputs.items()}
    evidence = {} if result.evidence is None else result.evidence[worst]
    lines = [f"item      {results.ids[worst]}, {_METRIC} {scores[worst]:.3g}"]
    lines += [f"question  {shown['questions']}", f"answer    {shown['predicted_answers']}"]
    for statement in evidence["statements"]:
        lines += ["", f"statement {statement['text']}"]
        lines.append(f"verdict   {statement['verdict']}: {statement['reason']}")
    return "\n".join(lines)


def _dataset(name: str) -> Dataset:
    with as_file(files("thresher.datasets") / "demo" / f"{name}.jsonl") as path:
        return read_dataset(path, limit=ITEMS)
