"""The provenance of each run."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.reports.html.numbers import DASH, cell_text
from thresher.reports.rendering.text import plain
from thresher.reports.runs.card_texts import JUDGE_CARDS, card_texts
from thresher.reports.runs.run_data import RunData

_ELSEWHERE = {"signatures", "name", "format"}
_LONG = 120
_MINOR = ("packages ", "arguments ")
"""Facts that few readers need; they are folded unless the runs differ in them."""


def provenance(runs: Sequence[RunData], names: Sequence[str]) -> dict[str, Any]:
    """Return facts as rows with one text per run, with minor and long ones apart; empty without facts."""
    known = [dict(_flat(_facts(run))) for run in runs]
    every = list(dict.fromkeys(name for facts in known for name in facts))
    rows = [{"name": name, "texts": [facts.get(name, DASH) for facts in known]} for name in every]
    short: list[dict[str, Any]] = [
        row | {"differs": len(set(row["texts"])) > 1} for row in rows if not _is_long(row["texts"])
    ]
    texts = [long for row in rows if _is_long(row["texts"]) for long in _texts(row, names)]
    minor = [row for row in short if row["name"].startswith(_MINOR) and not row["differs"]]
    facts = [row for row in short if row not in minor]
    return {"facts": facts, "minor": minor, "texts": texts} if rows else {}


def _facts(run: RunData) -> Any:
    facts = {key: value for key, value in run.provenance.items() if key not in _ELSEWHERE}
    return plain(facts | ({JUDGE_CARDS: card_texts(run)} if JUDGE_CARDS in facts else {}))


def _is_long(texts: Sequence[str]) -> bool:
    return any(len(text) > _LONG or "\n" in text for text in texts)


def _texts(row: Mapping[str, Any], names: Sequence[str]) -> list[dict[str, str]]:
    """Return each text once, with the names of the runs that have it."""
    owners: dict[str, list[str]] = {}
    for text, name in zip(row["texts"], names, strict=True):
        owners.setdefault(text, []).append(name)
    return [{"name": row["name"], "runs": ", ".join(runs), "text": text} for text, runs in owners.items()]


def _flat(data: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    """Flatten nested facts; unknown ones are left out."""
    facts: list[tuple[str, str]] = []
    for key, value in data.items():
        name = f"{before}{key.replace('_', ' ')}"
        if isinstance(value, Mapping):
            facts += _flat(value, "" if key == "provenance" else f"{name} ")
        elif value not in (None, "", []):
            facts.append((name, cell_text(value)))
    return facts
