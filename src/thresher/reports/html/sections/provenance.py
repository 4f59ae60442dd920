"""How each run came about."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.reports.html.numbers import DASH, told
from thresher.reports.rendering.text import plain
from thresher.reports.runs.run_data import RunData

_ELSEWHERE = {"signatures", "name", "format"}
_LONG = 120
_BESIDE = ("packages ", "arguments ")
"""Facts that few look for; they are folded unless the runs differ in them."""


def provenance(runs: Sequence[RunData], names: Sequence[str]) -> dict[str, Any]:
    """Facts as rows with one text per run, the less telling and long ones apart; empty if there are none."""
    known = [dict(_flat(_told(run))) for run in runs]
    every = list(dict.fromkeys(name for facts in known for name in facts))
    rows = [{"name": name, "texts": [facts.get(name, DASH) for facts in known]} for name in every]
    short: list[dict[str, Any]] = [
        row | {"differs": len(set(row["texts"])) > 1} for row in rows if not _is_long(row["texts"])
    ]
    texts = [long for row in rows if _is_long(row["texts"]) for long in _texts(row, names)]
    beside = [row for row in short if row["name"].startswith(_BESIDE) and not row["differs"]]
    facts = [row for row in short if row not in beside]
    return {"facts": facts, "beside": beside, "texts": texts} if rows else {}


def _told(run: RunData) -> Any:
    return plain({key: value for key, value in run.provenance.items() if key not in _ELSEWHERE})


def _is_long(texts: Sequence[str]) -> bool:
    return any(len(text) > _LONG or "\n" in text for text in texts)


def _texts(row: Mapping[str, Any], names: Sequence[str]) -> list[dict[str, str]]:
    """Each text once, with the names of the runs that have it."""
    owners: dict[str, list[str]] = {}
    for text, name in zip(row["texts"], names, strict=True):
        owners.setdefault(text, []).append(name)
    return [{"name": row["name"], "runs": ", ".join(runs), "text": text} for text, runs in owners.items()]


def _flat(data: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    """Nested facts as one list; what is not known is left out."""
    found: list[tuple[str, str]] = []
    for key, value in data.items():
        name = f"{before}{key.replace('_', ' ')}"
        if isinstance(value, Mapping):
            found += _flat(value, "" if key == "provenance" else f"{name} ")
        elif value not in (None, "", []):
            found.append((name, told(value)))
    return found
