"""Measures that had another name before 0.2: old names still find them, in one place.

Run directories keep the names that they were written with, so a lookup works in both directions.
"""

import re
from collections.abc import Collection
from typing import Any

from thresher.deprecation import Deprecated

RENAMED = Deprecated(since="0.2", until="0.3")

_VALOR = (
    "answer_correctness|answer_relevance|bias|coherence|context_precision|context_recall|context_relevance"
    "|faithfulness|hallucination|summary_coherence|toxicity"
)
_RANKING = "average_precision|hit_rate|ndcg|precision|recall|reciprocal_rank|fbeta|rprecision"
_PATTERNS = {
    rf"(?:{_RANKING})(?:@\d+)?": r"retrieval_\g<0>",
    r"(?:precision|recall|f1)_(?:macro|micro|weighted)": r"classification_\g<0>",
    r"accuracy|confusion_matrix|roc_auc|calibration_error(?:_max)?": r"classification_\g<0>",
    r"(detailed_)?pr_curve_best_f1": r"classification_\1precision_recall_curve_best_f1",
    r"(detailed_)?detection_pr_curve_best_f1": r"detection_\1precision_recall_curve_best_f1",
    r"map(_[\d.]+)?": r"detection_average_precision\1",
    r"mar": "detection_average_recall",
    r"coco_(?:map|mar)(?:_.+)?": r"detection_\g<0>",
    r"miou(_accuracy|_precision|_recall|_f1)?": r"segmentation_mean_iou\1",
    _VALOR: r"valor_\g<0>",
}
"""Pattern of old names -> new name."""


def current_name(name: str) -> str:
    """Return the present name of a measure; an unchanged name is returned as is.

    >>> current_name("ndcg@10"), current_name("miou"), current_name("token_f1")
    ('retrieval_ndcg@10', 'segmentation_mean_iou', 'token_f1')
    """
    for pattern, new in _PATTERNS.items():
        match = re.fullmatch(pattern, name)
        if match:
            return match.expand(new)
    return name


def known_name(name: Any, known: Collection[str]) -> Any:
    """Return the name that a measure has among `known`: its present name for an old one, and the reverse.

    An old name gives a DeprecationWarning. A name without a counterpart is returned as is.

    >>> known_name("valor_bias", ["bias"]), known_name("rouge1", ["bias"])
    ('bias', 'rouge1')
    """
    if not isinstance(name, str) or name in known:
        return name
    new = current_name(name)
    if new in known:
        RENAMED.warn(f"measure {name!r}", repr(new))
        return new
    return next((old for old in known if current_name(old) == name), name)
