"""Everything that a metric component needs; the metrics of this package use exactly this.

A metric is a class with annotated options and a method `run`, decorated with `@metric`. It is a Haystack
component with the outputs `score`, `individual_scores` and `result`.

**Functions**: `item_metric` and `column_metric` make a metric of a plain function.

**Declaration**: `metric`, `declared` (a component that is not a metric), `metric_outputs`, `settings` (the
options for a signature), `outputs` (from a result).

**Types of options**: the conditions `at_least`, `above`, `between`, `one_of`, `rising`, `distinct`, `finite`,
`not_blank`, `not_empty` and `document_field` in `Annotated`, each a `Condition`; the shared types `Count`,
`PositiveCount`, `TopK`, `MinGrade`, `Share`, `ShareOrNone`, `Positive`, `NonNegative`, `FiniteNumber`,
`Text`, `Thresholds`, `ScoreThresholds`, `Undefined`, `ZeroOrSkip`, `ZeroOrOne` with `UNDEFINED_SCORES`,
`BestOrMean`, `Normalization`, `Direction`; `check_option` for other values.

**Inputs**: `Items` (which items can be scored, and why the others cannot), `read_inputs`, `read_text`,
`read_texts`, `chosen_columns` (inputs that an option chooses), `TextPairs` (answers and their references),
`CompleteColumn`. Types of inputs: `DocumentLists`, `TrueLabels`, `PredictedLabels`, `PredictedScores`,
`ImageObjects`, `TextColumn`, `TextListColumn`, `ReferenceColumn`; `column_type` and `text_column_type` for
inputs that an option chooses.

**Judging**: `JudgedMetric`, `judged`, `judged_async`, `JudgeJob`, `JudgedItem`, `ExtraMeasure`,
`score_by_policy`, `combine_references`, `verdict_evidence`, `count_label`, `item_material`, `ShownSocket`,
`run_job`, `run_job_async`; `ClaimMetric`, `ClaimVerdicts` and `claim_evidence` (claims located in the
answer); the steps of a flow: `Prompt`, `prompt`, `Flow`, `Rating`, `rate`, `JudgeVerdict`, `Verdicts`,
`judge_each`, `Texts`, `extract`, `answered`, `together`, `numbered`, `Unanswered`.

**Models**: `Embeddings`, `PairScores`, `model_description`, `model_dict`.

**Families**: `RankingMetric`, `RankedGains`, `ComparedField`, `DocumentReader` (retrieved and relevant
documents); `LabelMetric`, `ClassifiedItems`, `Unlabelled`, `pick_columns` (true and predicted labels);
`DetectionMatches`, `read_matches`, `match_objects`, `MatchedObjects`, `detection_measure`,
`detection_outputs`, `MatchingRule`, `IouThreshold` (detected objects);
`ToolCallMetric`, `ToolCallPairs`, `Conversations`, `ExpectedCalls`, `Turns` (calls of tools);
`Pair`, `read_pairs`, `Ballot`, `tally`, `winner`, `CONSISTENCY` (two answers compared).

**Results**: `Measure`, `MetricResult`, `Mean`, `Quantile`, `RatioOfSums`, `SumReduction`, `Reduction`,
`Signature`, `Statistics`, `Ragged` (several entries per item), `Status`, `Breakdown`, `ValorMetric`.
"""

from thresher.lazy import lazy_exports

_MODULES = {
    "thresher.judges": (
        "Flow JudgeVerdict Prompt Rating Texts Unanswered Verdicts answered extract judge_each prompt rate "
        "together"
    ),
    "thresher.judges.claim_verdicts": "ClaimVerdicts",
    "thresher.judges.prompt": "numbered",
    "thresher.kernels.detection.matches": "DetectionMatches",
    "thresher.kernels.retrieval.ranked_gains": "RankedGains",
    "thresher.metrics.claims": "ClaimMetric claim_evidence",
    "thresher.metrics.classification.items": "ClassifiedItems Unlabelled pick_columns",
    "thresher.metrics.classification.label_metric": (
        "LabelMetric PredictedLabels PredictedScores TrueLabels"
    ),
    "thresher.metrics.declaration": "declared metric metric_outputs",
    "thresher.metrics.detection": (
        "ImageObjects IouThreshold MatchingRule detection_measure detection_outputs read_matches"
    ),
    "thresher.metrics.embeddings": "Embeddings",
    "thresher.metrics.extra_measures": "ExtraMeasure",
    "thresher.metrics.functions": "column_metric item_metric",
    "thresher.metrics.inputs": (
        "ReferenceColumn TextColumn TextListColumn chosen_columns column_type read_inputs read_text "
        "read_texts text_column_type"
    ),
    "thresher.metrics.items": "CompleteColumn Items outputs settings",
    "thresher.metrics.judge_job": "JudgeJob JudgedItem",
    "thresher.metrics.judging": (
        "JudgedMetric combine_references count_label judged judged_async run_job "
        "run_job_async score_by_policy verdict_evidence"
    ),
    "thresher.metrics.matched_objects": "MatchedObjects match_objects",
    "thresher.metrics.material": "ShownSocket item_material",
    "thresher.metrics.models": "model_description model_dict",
    "thresher.metrics.options": (
        "BestOrMean Condition Count FiniteNumber MinGrade NonNegative Normalization Positive "
        "PositiveCount ScoreThresholds Share ShareOrNone Text Thresholds TopK UNDEFINED_SCORES Undefined "
        "ZeroOrOne ZeroOrSkip above at_least between check_option distinct document_field finite not_blank "
        "not_empty one_of rising"
    ),
    "thresher.metrics.pair_scores": "PairScores",
    "thresher.metrics.pairwise.ballots": "Ballot CONSISTENCY tally winner",
    "thresher.metrics.pairwise.pairs": "Pair read_pairs",
    "thresher.metrics.retrieval.documents": "DocumentReader",
    "thresher.metrics.retrieval.ranking_metric": "ComparedField DocumentLists RankingMetric",
    "thresher.metrics.conversations": "Turns",
    "thresher.metrics.text_pairs": "TextPairs",
    "thresher.metrics.tool_calls": "Conversations ExpectedCalls ToolCallMetric ToolCallPairs",
    "thresher.results": (
        "Breakdown Direction Mean Measure MetricResult Quantile Ragged RatioOfSums Reduction Signature "
        "Statistics Status SumReduction ValorMetric"
    ),
}
EXPORTS = {name: module for module, names in _MODULES.items() for name in names.split()}
"""Public name -> its module; `scripts/write_components.py` writes the stub from it."""

__getattr__, __dir__, __all__ = lazy_exports(__name__, EXPORTS)
