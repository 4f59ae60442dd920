"""What a run would ask, counted before anything is asked."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from thresher.errors import InputError
from thresher.judges.settings import Prices

_CHARACTERS_A_TOKEN = 4
"""The common rule of thumb for English; other languages have fewer characters a token."""


@dataclass
class CostEstimate:
    """Counts of a rehearsal in which every judge says yes and every text has one statement a sentence.

    Equal asks count once, as they are asked once. Asking again after unreadable replies and retries after
    failed calls come on top.

    Attributes:
        calls: requests.
        prompt_tokens: tokens sent, at four characters a token.
        completion_tokens: tokens received, the same.
        prompts: calls by prompt.
        models: calls by the model that would be asked.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompts: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    _tokens: dict[str, tuple[int, int]] = field(default_factory=dict, repr=False)
    _seen: set[str] = field(default_factory=set, repr=False)

    def add(self, key: str, model: str, prompt: str, sent: str, received: str) -> None:
        """Count an ask, unless an equal one has been counted."""
        if key in self._seen:
            return
        self._seen.add(key)
        tokens = len(sent) // _CHARACTERS_A_TOKEN, len(received) // _CHARACTERS_A_TOKEN
        self.calls += 1
        self.prompts[prompt] += 1
        self.models[model] += 1
        self.prompt_tokens += tokens[0]
        self.completion_tokens += tokens[1]
        before = self._tokens.get(model, (0, 0))
        self._tokens[model] = (before[0] + tokens[0], before[1] + tokens[1])

    def cost(self, prices: Prices) -> float:
        """Money, at these prices.

        Raises:
            InputError: if a model has no price.
        """
        total = 0.0
        for model, (sent, received) in self._tokens.items():
            price = prices.of(model)
            if price is None:
                raise InputError(f"there is no price for {model!r}: add it to the price table, or a default")
            total += price.cost(sent, received)
        return total

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "prompts": dict(self.prompts),
            "models": dict(self.models),
        }
