# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.classification.accuracy import AccuracyEvaluator as AccuracyEvaluator
from thresher.components.classification.calibration import CalibrationEvaluator as CalibrationEvaluator
from thresher.components.classification.confusion_matrix import (
    ConfusionMatrixEvaluator as ConfusionMatrixEvaluator,
)
from thresher.components.classification.detailed_precision_recall_curve import (
    DetailedPrecisionRecallCurveEvaluator as DetailedPrecisionRecallCurveEvaluator,
)
from thresher.components.classification.f1 import ClassificationF1Evaluator as ClassificationF1Evaluator
from thresher.components.classification.precision import (
    ClassificationPrecisionEvaluator as ClassificationPrecisionEvaluator,
)
from thresher.components.classification.precision_recall_curve import (
    PrecisionRecallCurveEvaluator as PrecisionRecallCurveEvaluator,
)
from thresher.components.classification.recall import (
    ClassificationRecallEvaluator as ClassificationRecallEvaluator,
)
from thresher.components.classification.roc_auc import RocAucEvaluator as RocAucEvaluator
from thresher.kernels.classification.label_scores import LabelScores as LabelScores
