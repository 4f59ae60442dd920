"""Only type-checked: what users write must satisfy a strict type checker."""

from thresher.components.text.exact_match import ExactMatchEvaluator
from thresher.datasets import read_coco, read_dataset, read_voc
from thresher.results import MetricResult

evaluator: ExactMatchEvaluator = ExactMatchEvaluator(normalization="squad")
result: MetricResult = evaluator.run(["a"], ["a"])["result"]
value: float = result.score

read_coco("instances.json", geometries="boxs")  # type: ignore[arg-type]
read_voc("annotations", difficult="kep")  # type: ignore[arg-type]
read_dataset("answers.csv", empty_cells="texts")  # type: ignore[arg-type]
