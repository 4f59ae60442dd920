"""Comparison of many systems on the same items, by one distribution of signs for all contrasts."""

from thresher.kernels.inference.many_systems.contrasts import Contrasts, contrasts, joint_contrasts
from thresher.kernels.inference.many_systems.families import (
    Effect,
    FactorEffects,
    against,
    all_pairs,
    factor_effects,
)
from thresher.kernels.inference.many_systems.interaction import interaction
from thresher.kernels.inference.many_systems.letters import different_pairs, letters
from thresher.kernels.inference.many_systems.missing_items import adjusted_means, common_items
from thresher.kernels.inference.many_systems.pareto import KnownValues, ParetoFront, Place, pareto
from thresher.kernels.inference.many_systems.ranks import rank_intervals, winners_curse
from thresher.kernels.inference.many_systems.system_scores import SystemScores
from thresher.kernels.inference.many_systems.value_intervals import value_intervals
from thresher.kernels.inference.many_systems.weighted_score import weighted_score

__all__ = [
    "Contrasts",
    "Effect",
    "FactorEffects",
    "KnownValues",
    "ParetoFront",
    "Place",
    "SystemScores",
    "adjusted_means",
    "against",
    "all_pairs",
    "common_items",
    "contrasts",
    "different_pairs",
    "factor_effects",
    "interaction",
    "joint_contrasts",
    "letters",
    "pareto",
    "rank_intervals",
    "value_intervals",
    "weighted_score",
    "winners_curse",
]
