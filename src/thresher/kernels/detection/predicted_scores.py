"""The scores of predicted objects."""

import numpy as np

from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns, Floats


def scores_of(predictions: DetectionColumns) -> Floats:
    """The scores of predictions.

    Raises:
        InputError: for predictions without scores.
    """
    if predictions.scores is not None:
        return predictions.scores
    if predictions.objects:
        raise InputError("predictions have no scores; give each predicted object one")
    return np.zeros(0)
