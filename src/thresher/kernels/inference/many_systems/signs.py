"""Random signs, the same for all measures and systems; all sign vectors if these are few."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.statistic import CELLS

Floats = npt.NDArray[np.float64]
SIGN_DRAWS = 10_000
"""A p-value of 0.05 is then known to 0.2 points (sqrt(0.05 * 0.95 / 10,000))."""


def enumerated(units: int, draws: int) -> bool:
    """Whether all sign vectors are used, because draws are at least as many."""
    return units <= draws.bit_length() - 1


def sign_blocks(units: int, draws: int, seed: int, width: int) -> Iterator[Floats]:
    """Yield blocks of sign vectors (rows x units), each entry -1 or 1.

    The same number of units and the same seed give the same signs.

    Args:
        units: number of independent units.
        draws: number of random vectors; all 2^units vectors if these are not more.
        seed: seed of the generator.
        width: number of contrasts; limits the rows of a block, so that memory stays bounded.

    >>> [block.tolist() for block in sign_blocks(2, 4, 0, 1)]
    [[[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]]
    """
    rows = max(1, CELLS // max(units, width, 1))
    if enumerated(units, draws):
        for start in range(0, 2**units, rows):
            numbers = np.arange(start, min(start + rows, 2**units))[:, None]
            yield np.asarray(2.0 * ((numbers >> np.arange(units)) & 1) - 1.0, dtype=np.float64)
        return
    generator, words = np.random.default_rng(seed), -(-units // 64)
    for start in range(0, draws, rows):
        # Whole words: the signs do not depend on the size of the blocks.
        bits = generator.integers(0, 2**64, (min(rows, draws - start), words), np.uint64)
        signs = np.unpackbits(bits.view(np.uint8), axis=1, count=units).astype(np.float64)
        signs *= 2.0
        signs -= 1.0
        yield signs
