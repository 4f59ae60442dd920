"""The cost of a run: calls to judges, tokens and money."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.counted import counted
from thresher.reports.html.numbers import cell_text, count, letter
from thresher.reports.runs.run_data import RunData


def costs(runs: Sequence[RunData]) -> list[str]:
    """Return one sentence per run that called a judge, over all its sessions."""
    lines = [_cost(list(run.provenance.get("asking") or ())) for run in runs]
    return [f"{letter(run)}: {line}" if len(runs) > 1 else line for run, line in enumerate(lines) if line]


def _cost(sessions: Sequence[Mapping[str, Any]]) -> str:
    if not sessions:
        return ""
    models = dict.fromkeys(model for session in sessions for model in session.get("models") or ())
    tokens = _sum(sessions, "prompt_tokens") + _sum(sessions, "completion_tokens")
    parts = [f"{counted(_sum(sessions, 'calls'), 'call', form=',')} to {', '.join(models) or 'a judge'}"]
    batched = _sum(sessions, "batched")
    parts += [f"{counted(batched, 'answer', form=',')} in batches"] if batched else []
    known = _sum(sessions, "known")
    parts += [f"{counted(known, 'answer', form=',')} known before"] if known else []
    parts += [f"{counted(tokens, 'token', form=',')}{_shares(sessions)}"] if tokens else []
    spent = [session["cost"] for session in sessions if session.get("cost") is not None]
    parts += [f"cost {cell_text(float(sum(spent)))}"] if spent else []
    notes = dict.fromkeys(note for session in sessions for note in session.get("notes") or ())
    return "; ".join([", ".join(parts), *notes])


def _shares(sessions: Sequence[Mapping[str, Any]]) -> str:
    """The tokens of cached input and of reasoning, in brackets; empty if there are none."""
    shares = {
        "of cached input": _sum(sessions, "cached_tokens"),
        "of reasoning": _sum(sessions, "reasoning_tokens"),
    }
    parts = ", ".join(f"{count(tokens)} {share}" for share, tokens in shares.items() if tokens)
    return f" ({parts})" if parts else ""


def _sum(sessions: Sequence[Mapping[str, Any]], name: str) -> int:
    return sum(int(session.get(name) or 0) for session in sessions)
