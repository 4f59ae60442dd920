"""What people read: display names of measures, names of runs, and columns that do not hide one another."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from thresher.errors import InputError
from thresher.results.measure import Direction

_WORDS = {
    "ap": "AP",
    "auc": "AUC",
    "bleu": "BLEU",
    "chrf": "chrF",
    "coco": "COCO",
    "f1": "F1",
    "fbeta": "F-beta",
    "id": "ID",
    "iou": "IoU",
    "llm": "LLM",
    "map": "mAP",
    "mar": "mAR",
    "meteor": "METEOR",
    "miou": "mIoU",
    "mrr": "MRR",
    "ndcg": "nDCG",
    "pr": "PR",
    "roc": "ROC",
    "sas": "SAS",
}
ARROWS = {"higher": "↑", "lower": "↓"}
"""Whether higher or lower values are better, after the names of metrics."""
PRIMARY = "primary"
"""Mark of primary measures, in tables that also have others."""
PRIMARY_NOTE = "primary: comparisons of runs test this; the other rows are shown without a verdict."
_TASK = re.compile(r"^(retrieval|classification|detection|segmentation)_(?=.)")


def display_name(name: str) -> str:
    """A measure's name as a heading, without the kind of task that its metric is for.

    >>> display_name("retrieval_reciprocal_rank"), display_name("token_f1_micro"), display_name("rougeLsum")
    ('Reciprocal Rank', 'Token F1 Micro', 'ROUGE-Lsum')
    >>> display_name("chrf_corpus"), display_name("meteor"), display_name("retrieval_fbeta@10")
    ('chrF Corpus', 'METEOR', 'F-beta@10')
    """
    return _heading(_TASK.sub("", name))


def display_names(names: Iterable[str]) -> dict[str, str]:
    """Headings of measures listed together, by name: two that would read alike keep the task, or their names.

    >>> display_names(["token_f1", "exact_match"])
    {'token_f1': 'Token F1', 'exact_match': 'Exact Match'}
    >>> display_names(["retrieval_recall", "recall"])
    {'retrieval_recall': 'Retrieval Recall', 'recall': 'Recall'}
    >>> display_names(["token_f1", "token f1"])
    {'token_f1': 'token_f1', 'token f1': 'token f1'}
    """
    shown = {name: display_name(name) for name in names}
    counts = Counter(shown.values())
    shown = {name: _heading(name) if counts[heading] > 1 else heading for name, heading in shown.items()}
    while len(set(shown.values())) < len(shown):
        counts = Counter(shown.values())
        shown = {name: name if counts[heading] > 1 else heading for name, heading in shown.items()}
    return shown


def row_name(name: str, rule: str, direction: Direction, *, marked: bool = False) -> str:
    """A measure's name in tables of text, with its rule and whether higher or lower is better.

    Args:
        name: the measure.
        rule: its rule; may be empty.
        direction: what is better.
        marked: whether to mark it as primary.

    >>> row_name("detection_coco_map", "COCO, IoU 0.5:0.95", "higher"), row_name("latency", "", "lower")
    ('detection_coco_map (COCO, IoU 0.5:0.95) ↑', 'latency ↓')
    >>> row_name("token_f1", "", "higher", marked=True)
    'token_f1 ↑ primary'
    """
    mark = f" {PRIMARY}" if marked else ""
    return f"{name}{f' ({rule})' if rule else ''} {ARROWS[direction]}{mark}"


def rule_notes(rules: Mapping[str, str]) -> list[str]:
    """The rules of measures by name, for a table too narrow to have them in its rows.

    >>> rule_notes({"map": "COCO", "f1": ""})
    ['COCO: map.']
    """
    names: dict[str, list[str]] = {}
    for name, rule in rules.items():
        names.setdefault(rule, []).append(name)
    return [f"{rule}: {', '.join(of_rule)}." for rule, of_rule in names.items() if rule]


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or the name with the first number that makes it one of its own.

    >>> free_name("id", ["question"]), free_name("id", ["id", "id_2"])
    ('id', 'id_3')
    """
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def side_by_side(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of several parts as those of one table: one whose name is taken gets a number.

    >>> side_by_side({"id": [1]}, {"id": [2], "hit": [3]})
    {'id': [1], 'id_2': [2], 'hit': [3]}
    """
    columns: dict[str, Any] = {}
    for part in parts:
        for name, column in part.items():
            columns[free_name(name, columns)] = column
    return columns


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


def check_metric_names(metrics: object) -> None:
    """Raise unless the argument is a list of names or None.

    Raises:
        InputError: for one name, and for what is neither a list nor None.
    """
    if isinstance(metrics, str):
        raise InputError(f"metrics={metrics!r} is one name; give a list of names: [{metrics!r}]")
    if not isinstance(metrics, Collection | None):
        raise InputError(f"metrics={metrics!r} must be a list of names")


def _heading(name: str) -> str:
    return " ".join(_word(word) for word in name.replace("_", " ").split())


def _word(word: str) -> str:
    stem, at, cutoff = word.partition("@")
    if stem.startswith("rouge") and len(stem) > len("rouge"):
        return f"ROUGE-{stem.removeprefix('rouge')}{at}{cutoff}"
    return _WORDS.get(stem, stem[:1].upper() + stem[1:]) + at + cutoff
