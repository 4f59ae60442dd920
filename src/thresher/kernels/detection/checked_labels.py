"""Predictions of labels that were not checked in their image, which count as neither right nor wrong."""

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.federated import Federated
from thresher.kernels.detection.greedy import groups

Marks = npt.NDArray[np.bool_]


def counted_and_lenient(
    predictions: DetectionColumns, truths: DetectionColumns, federated: Federated
) -> tuple[Marks, Marks]:
    """Which predictions count, and which are ignored unless they have a true object.

    Predictions of labels count that are annotated in their image or verified to be absent. They are ignored
    without a true object if not all objects of their label are annotated.

    Args:
        predictions: predicted objects.
        truths: true objects of the same images, over the same vocabulary.
        federated: the labels that were checked.
    """
    absent, not_exhaustive = federated.groups(predictions.labels)
    mine = groups(predictions)
    return np.isin(mine, np.concatenate([groups(truths), absent])), np.isin(mine, not_exhaustive)
