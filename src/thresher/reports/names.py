"""What people read: display names of measures, and the names of runs."""

from collections import Counter
from collections.abc import Sequence

_WORDS = {
    "ap": "AP",
    "auc": "AUC",
    "bleu": "BLEU",
    "f1": "F1",
    "id": "ID",
    "iou": "IoU",
    "llm": "LLM",
    "map": "mAP",
    "mrr": "MRR",
    "ndcg": "nDCG",
    "roc": "ROC",
    "sas": "SAS",
}


def display_name(name: str) -> str:
    """A measure's name as a heading.

    >>> display_name("reciprocal_rank"), display_name("token_f1_micro"), display_name("rougeLsum")
    ('Reciprocal Rank', 'Token F1 Micro', 'ROUGE-Lsum')
    """
    words = name.replace("_", " ").split()
    return " ".join(_word(word) for word in words)


def distinct_run_names(names: Sequence[str]) -> list[str]:
    """Names under which runs can stand side by side: none is empty, none appears twice.

    >>> distinct_run_names(["bm25", "bm25", ""])
    ['bm25_1', 'bm25_2', 'model_3']
    """
    given = [name or f"model_{position}" for position, name in enumerate(names, start=1)]
    counts = Counter(given)
    seen: Counter[str] = Counter()
    distinct: list[str] = []
    for name in given:
        seen[name] += 1
        candidate = name if counts[name] == 1 else f"{name}_{seen[name]}"
        while candidate in distinct or (candidate != name and candidate in counts):
            candidate += "_"
        distinct.append(candidate)
    return distinct


def _word(word: str) -> str:
    stem, at, cutoff = word.partition("@")
    if stem.startswith("rouge") and len(stem) > len("rouge"):
        return f"ROUGE-{stem.removeprefix('rouge')}{at}{cutoff}"
    return _WORDS.get(stem, stem[:1].upper() + stem[1:]) + at + cutoff
