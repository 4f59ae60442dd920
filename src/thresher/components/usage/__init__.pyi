# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.usage.cost import CostEvaluator as CostEvaluator
from thresher.components.usage.latency import LatencyEvaluator as LatencyEvaluator
from thresher.components.usage.tokens import TokensEvaluator as TokensEvaluator
