# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.multilabel.average_precision import (
    MultilabelAveragePrecisionEvaluator as MultilabelAveragePrecisionEvaluator,
)
from thresher.components.multilabel.coverage_error import (
    MultilabelCoverageErrorEvaluator as MultilabelCoverageErrorEvaluator,
)
from thresher.components.multilabel.f1 import MultilabelF1Evaluator as MultilabelF1Evaluator
from thresher.components.multilabel.hamming_loss import (
    MultilabelHammingLossEvaluator as MultilabelHammingLossEvaluator,
)
from thresher.components.multilabel.precision import (
    MultilabelPrecisionEvaluator as MultilabelPrecisionEvaluator,
)
from thresher.components.multilabel.ranking_average_precision import (
    MultilabelRankingAveragePrecisionEvaluator as MultilabelRankingAveragePrecisionEvaluator,
)
from thresher.components.multilabel.recall import MultilabelRecallEvaluator as MultilabelRecallEvaluator
from thresher.components.multilabel.subset_accuracy import (
    MultilabelSubsetAccuracyEvaluator as MultilabelSubsetAccuracyEvaluator,
)
