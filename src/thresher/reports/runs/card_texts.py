"""The cards of a run's judges, as texts for reports."""

from collections.abc import Mapping
from typing import Any

from thresher.reports.rendering.numbers import number
from thresher.reports.runs.run_data import RunData

JUDGE_CARDS = "judge_cards"
"""Entry of a run's provenance: the cards of its judges, as `reports.judge_cards.card_entry` returns them."""
_DECIMALS = 3
"""A card has some hundred items, so a fourth decimal is noise."""


def card_texts(run: RunData) -> dict[str, dict[str, str]]:
    """Judge -> measure -> value, interval and number of items; measures without a score are left out."""
    return {
        card["name"]: {
            name: _text(measure) for name, measure in card["measures"].items() if measure["value"] is not None
        }
        for card in run.provenance.get(JUDGE_CARDS) or ()
    }


def cards_sentence(run: RunData) -> str:
    """Say how the judges of a run did on labelled cases; empty without a card."""
    sentences = [
        f"Card of the judge {judge}: {', '.join(f'{name} {text}' for name, text in texts.items())}."
        for judge, texts in card_texts(run).items()
    ]
    return " ".join(sentences)


def _text(measure: Mapping[str, Any]) -> str:
    shown = number(measure["value"], _DECIMALS)
    if measure["low"] is not None:
        shown += f" [{number(measure['low'], _DECIMALS)}, {number(measure['high'], _DECIMALS)}]"
    return f"{shown} on {measure['items']}"
