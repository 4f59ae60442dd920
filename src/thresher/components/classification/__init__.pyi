# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.classification.accuracy import (
    ClassificationAccuracyEvaluator as ClassificationAccuracyEvaluator,
)
from thresher.components.classification.average_precision import (
    ClassificationAveragePrecisionEvaluator as ClassificationAveragePrecisionEvaluator,
)
from thresher.components.classification.balanced_accuracy import (
    ClassificationBalancedAccuracyEvaluator as ClassificationBalancedAccuracyEvaluator,
)
from thresher.components.classification.best_threshold import (
    ClassificationBestThresholdEvaluator as ClassificationBestThresholdEvaluator,
)
from thresher.components.classification.brier_score import (
    ClassificationBrierScoreEvaluator as ClassificationBrierScoreEvaluator,
)
from thresher.components.classification.calibration import (
    ClassificationCalibrationErrorEvaluator as ClassificationCalibrationErrorEvaluator,
)
from thresher.components.classification.cohen_kappa import (
    ClassificationCohenKappaEvaluator as ClassificationCohenKappaEvaluator,
)
from thresher.components.classification.confusion_matrix import (
    ClassificationConfusionMatrixEvaluator as ClassificationConfusionMatrixEvaluator,
)
from thresher.components.classification.detailed_precision_recall_curve import (
    ClassificationDetailedPrecisionRecallCurveEvaluator as ClassificationDetailedPrecisionRecallCurveEvaluator,
)
from thresher.components.classification.f1 import ClassificationF1Evaluator as ClassificationF1Evaluator
from thresher.components.classification.log_loss import (
    ClassificationLogLossEvaluator as ClassificationLogLossEvaluator,
)
from thresher.components.classification.matthews_correlation import (
    ClassificationMatthewsCorrelationEvaluator as ClassificationMatthewsCorrelationEvaluator,
)
from thresher.components.classification.precision import (
    ClassificationPrecisionEvaluator as ClassificationPrecisionEvaluator,
)
from thresher.components.classification.precision_recall_curve import (
    ClassificationPrecisionRecallCurveEvaluator as ClassificationPrecisionRecallCurveEvaluator,
)
from thresher.components.classification.recall import (
    ClassificationRecallEvaluator as ClassificationRecallEvaluator,
)
from thresher.components.classification.roc_auc import (
    ClassificationRocAucEvaluator as ClassificationRocAucEvaluator,
)
from thresher.components.classification.roc_curve import (
    ClassificationRocCurveEvaluator as ClassificationRocCurveEvaluator,
)
from thresher.components.classification.topk_accuracy import (
    ClassificationTopkAccuracyEvaluator as ClassificationTopkAccuracyEvaluator,
)
from thresher.kernels.classification.label_scores import LabelScores as LabelScores
