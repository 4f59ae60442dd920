"""Statistical inference: intervals, comparisons, slices, human labels and thresholds."""

from thresher.kernels.inference.agreement import Agreement, cohen_kappa, fleiss_kappa, gwet_ac1
from thresher.kernels.inference.comparison import compare
from thresher.kernels.inference.corrected_means import CorrectedMean, prediction_powered_mean, rogan_gladen
from thresher.kernels.inference.corrections import holm
from thresher.kernels.inference.estimate import estimate, interval
from thresher.kernels.inference.human_labels import JudgeQuality, draw_to_label, judge_quality
from thresher.kernels.inference.interval import DRAWS, LEVEL, SEED, Interval, IntervalEstimate
from thresher.kernels.inference.krippendorff import krippendorff_alpha
from thresher.kernels.inference.objectives import (
    BestF,
    LeastCost,
    PrecisionAtRecall,
    RecallAtPrecision,
    Youden,
)
from thresher.kernels.inference.operating_points import OperatingPoints, ScoredLabels
from thresher.kernels.inference.panels import effective_votes, learnt_weights
from thresher.kernels.inference.slices import Slice, masks_of, slices
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.threshold_search import ChosenThreshold, Quality, find_threshold, split_mask
from thresher.kernels.inference.verdict import Comparison, Verdict, corrected
from thresher.kernels.inference.verdict_sentence import verdict_sentence

__all__ = [
    "DRAWS",
    "LEVEL",
    "SEED",
    "Agreement",
    "BestF",
    "ChosenThreshold",
    "Comparison",
    "CorrectedMean",
    "Interval",
    "IntervalEstimate",
    "JudgeQuality",
    "LeastCost",
    "OperatingPoints",
    "PrecisionAtRecall",
    "Quality",
    "RecallAtPrecision",
    "ScoredLabels",
    "Slice",
    "Target",
    "Verdict",
    "Youden",
    "cohen_kappa",
    "compare",
    "corrected",
    "draw_to_label",
    "effective_votes",
    "estimate",
    "find_threshold",
    "fleiss_kappa",
    "gwet_ac1",
    "holm",
    "interval",
    "judge_quality",
    "krippendorff_alpha",
    "learnt_weights",
    "masks_of",
    "prediction_powered_mean",
    "rogan_gladen",
    "slices",
    "split_mask",
    "verdict_sentence",
]
