"""Cards of judges for the provenance of a run: each must be of a judge of the pipeline."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.errors import InputError
from thresher.judges import JudgePanel, default_judge
from thresher.judges.engine.identity import generation_of, model_of
from thresher.pipelines.judged import judged_components
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.judge_cards import card_entry
from thresher.reports.rendering.text import plain


def checked_cards(
    cards: Sequence[EvaluationResults | str | Path], pipeline: Pipeline
) -> list[dict[str, Any]]:
    """Return the cards as entries of the provenance.

    Raises:
        InputError: for a file that is not a card, one card instead of a list, and a card of another judge or
            of other generation settings than those of the pipeline.
    """
    if isinstance(cards, str | Path | EvaluationResults):
        raise InputError("judge_cards is one card; give a list of cards")
    entries = [card_entry(card) for card in cards]
    judges = _judges(pipeline) if entries else []
    for entry in entries:
        if plain(entry["judge"]) not in judges:
            known = ", ".join(_described(judge) for judge in judges) or "none"
            raise InputError(
                f"the card is of the judge {_described(entry['judge'])}, and the judges of this run are: "
                f"{known}; probe the judge with the same options, or remove the card"
            )
    return entries


def _judges(pipeline: Pipeline) -> list[dict[str, Any]]:
    """Models and settings of the pipeline's judges, without repetitions."""
    judges: list[dict[str, Any]] = []
    for name in judged_components(pipeline):
        source = getattr(pipeline.get_component(name), "chat_generator", None) or default_judge()
        panel = JudgePanel.of(source)
        for generator in [source] if panel is None else panel.judges:
            judge: dict[str, Any] = plain(
                {"model": model_of(generator), "settings": generation_of(generator)}
            )
            judges += [] if judge in judges else [judge]
    return judges


def _described(judge: dict[str, Any]) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in judge["settings"].items())
    return f"{judge['model']}{f' ({settings})' if settings else ''}"
