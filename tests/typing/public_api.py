"""Only type-checked: what users write must satisfy a strict type checker.

An unused `type: ignore` is an error in strict mode, so each one below proves that the checker sees a mistake.
"""

from thresher.components import (
    RagasAspectCriticEvaluator,
    RagasFaithfulnessEvaluator,
    RetrievalRecallEvaluator,
)
from thresher.components.text import BleuEvaluator, ExactMatchEvaluator
from thresher.datasets import read_coco, read_dataset, read_voc
from thresher.metrics import Measure, TopK
from thresher.results import MetricResult

evaluator: ExactMatchEvaluator = ExactMatchEvaluator(normalization="squad")
result: MetricResult = evaluator.run(["a"], ["a"])["result"]
value: float = result.score
measure: Measure = result.measures[0]
top_k: TopK = RetrievalRecallEvaluator(top_k=3, ties="trec").top_k
critic = RagasAspectCriticEvaluator(None, definition="Is it polite?")

texts: list[str] = ["a"]
evaluator.run(texts, [texts])
evaluator.run(predicted_answers=["a", None], ground_truth_answers=["a", None])
evaluator.run(predicted_answers=["a", None, "b"], ground_truth_answers=[["a"], None, "b"])
RagasFaithfulnessEvaluator().run(questions=["a"], contexts=[["a"], None], predicted_answers=texts)
evaluator.run([1], ["a"])  # type: ignore[arg-type]
evaluator.run("a", ["a"])  # type: ignore[arg-type]

BleuEvaluator(convention="sacrebleu", smoothing="add-k", tokenizer="intl")
BleuEvaluator(smoothing="add_k")  # type: ignore[arg-type]
RetrievalRecallEvaluator(ties="trecc")  # type: ignore[arg-type]
RetrievalRecallEvaluator(tiess="trec")  # type: ignore[call-arg]
RetrievalRecallEvaluator(3)  # type: ignore[arg-type, call-arg]
RagasAspectCriticEvaluator()  # type: ignore[call-arg]

read_coco("instances.json", geometries="boxs")  # type: ignore[arg-type]
read_voc("annotations", difficult="kep")  # type: ignore[arg-type]
read_dataset("answers.csv", empty_cells="texts")  # type: ignore[arg-type]
