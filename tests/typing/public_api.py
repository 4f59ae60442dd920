"""Only type-checked: what users write must satisfy a strict type checker."""

from thresher.components.text.exact_match import ExactMatchEvaluator
from thresher.results import MetricResult

evaluator: ExactMatchEvaluator = ExactMatchEvaluator(normalization="squad")
result: MetricResult = evaluator.run(["a"], ["a"])["result"]
value: float = result.score
