"""Whether the parameters of a grid act independently of each other."""

from thresher.errors import InputError
from thresher.kernels.inference.interval import LEVEL, SEED
from thresher.kernels.inference.many_systems.contrasts import Contrasts, contrasts
from thresher.kernels.inference.many_systems.families import FactorEffects
from thresher.kernels.inference.many_systems.signs import SIGN_DRAWS
from thresher.kernels.inference.many_systems.system_scores import SystemScores


def interaction(
    scores: SystemScores,
    effects: FactorEffects,
    *,
    level: float = LEVEL,
    draws: int = SIGN_DRAWS,
    seed: int = SEED,
) -> Contrasts:
    """How far each configuration is from what the effects of its parameters predict together.

    Main effects describe a grid only if its parameters do not interact. The smallest adjusted p-value tests
    that no configuration differs from the additive model; at 5 % it rejects 4.1 to 6.1 % of grids without
    interaction (`benchmarks/experiments.py --only effects`).

    Formula: contrasts I - X X^+ of the additive design X; in a complete grid of two parameters the
        interaction effects of the analysis of variance

    Args:
        scores: one measure of the configurations.
        effects: from `factor_effects` with the settings of the same configurations.
        level: nominal coverage of all intervals together.
        draws: number of sign vectors.
        seed: seed of the signs.

    Raises:
        InputError: if the configurations are too few to show interactions, for example with one parameter.
    """
    if not len(effects.interactions):
        raise InputError("these configurations cannot show interactions; vary two parameters in a grid")
    return contrasts(scores, effects.interactions, level=level, draws=draws, seed=seed)
