"""Results of metrics: frozen, serialisable, and free of any framework."""

from thresher.results.breakdown import Breakdown, Detail
from thresher.results.columns import FrozenColumn
from thresher.results.labels import Label
from thresher.results.measure import Direction, Measure
from thresher.results.metric_result import MetricResult
from thresher.results.quantiles import Quantile
from thresher.results.ragged import Ragged
from thresher.results.recorded import recorded_result
from thresher.results.reductions import Mean, RatioOfSums, Reduction, SumReduction
from thresher.results.signature import Signature
from thresher.results.statistics import Statistics
from thresher.results.status import Status
from thresher.results.valor import ValorMetric
from thresher.results.vocabulary import VOCABULARY, Socket

__all__ = [
    "VOCABULARY",
    "Breakdown",
    "Detail",
    "Direction",
    "FrozenColumn",
    "Label",
    "Mean",
    "Measure",
    "MetricResult",
    "Quantile",
    "Ragged",
    "RatioOfSums",
    "Reduction",
    "Signature",
    "Socket",
    "Statistics",
    "Status",
    "SumReduction",
    "ValorMetric",
    "recorded_result",
]
