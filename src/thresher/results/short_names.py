"""Short names of metrics and measures: without their family, where only one is meant."""

from collections.abc import Collection
from typing import Any

_FAMILIES = (
    *("classification", "detection", "multilabel", "retrieval", "segmentation"),
    *("haystack", "llama_index", "nvidia", "prometheus", "ragas", "valor"),
)


def without_family(name: str, known: Collection[str]) -> tuple[str, ...]:
    """The known names that a name without a family may mean.

    >>> without_family("recall", ["retrieval_recall", "classification_recall", "tool_call_recall"])
    ('classification_recall', 'retrieval_recall')
    """
    return tuple(full for family in _FAMILIES if (full := f"{family}_{name}") in known)


def known_name(name: Any, known: Collection[str]) -> Any:
    """Return the name that is meant among `known`; an unknown or ambiguous one is returned as is.

    >>> known_name("faithfulness", ["valor_faithfulness"]), known_name("rouge1", ["valor_faithfulness"])
    ('valor_faithfulness', 'rouge1')
    """
    if not isinstance(name, str) or name in known:
        return name
    meanings = without_family(name, known)
    return meanings[0] if len(meanings) == 1 else name
