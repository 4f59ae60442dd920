"""Decisions of a classifier: every scored label of an item, and whether it is the true one of its key."""

import numpy as np

from thresher.results import Ragged
from thresher.results.labels import Vocabulary


def scored_decisions(scores: Ragged, truths: Ragged, labels: Vocabulary) -> Ragged:
    """Return ragged `label`, `score` and `hit` for the kernels of thresholds.

    Args:
        scores: `label` and `score` of each predicted label.
        truths: the `label` of each item and key that has a true one.
        labels: the vocabulary. Scores of a key without a true label in the item are left out.
    """
    names = sorted({label.key for label in labels})
    keys = np.array([names.index(label.key) for label in labels], dtype=np.int64)
    true_label = np.full((len(names) + 1, truths.size), -1, np.int64)
    true_label[keys[truths["label"]], truths.owners] = truths["label"]
    owners, codes = scores.owners, scores["label"]
    truth = true_label[keys[codes], owners]
    counted = truth >= 0
    columns = {
        "label": codes[counted],
        "score": np.nan_to_num(scores["score"][counted]),
        "hit": (truth[counted] == codes[counted]).astype(np.uint8),
    }
    return Ragged(np.bincount(owners[counted], minlength=scores.size), columns)
