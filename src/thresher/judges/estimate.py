"""Estimated calls, tokens and cost of a run."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from thresher.judges.settings import Prices

CHARACTERS_A_TOKEN = 4
"""Rule of thumb for English; other languages have fewer characters a token."""


@dataclass
class CostEstimate:
    """Counts that assume that every verdict is yes and every sentence contains one statement.

    Equal asks count once, as they are sent once. Repeated asks after unreadable replies and retries of failed
    calls are not included.

    Attributes:
        calls: requests.
        prompt_tokens: tokens sent, at four characters a token.
        completion_tokens: tokens received, at four characters a token.
        prompts: calls by prompt.
        models: calls by the model that would be asked.
        images: images sent; their tokens are unknown and not included.
        rounds: longest chain of asks of a metric, which is the number of rounds of batches.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompts: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    rounds: int = 0
    images: int = 0
    _tokens: dict[str, tuple[int, int]] = field(default_factory=dict, repr=False)
    _seen: set[str] = field(default_factory=set, repr=False)

    def add(self, key: str, model: str, prompt: str, sent: str, received: str, *, images: int = 0) -> None:
        """Count an ask, unless an equal one has been counted."""
        if key in self._seen:
            return
        self._seen.add(key)
        tokens = len(sent) // CHARACTERS_A_TOKEN, len(received) // CHARACTERS_A_TOKEN
        self.calls += 1
        self.images += images
        self.prompts[prompt] += 1
        self.models[model] += 1
        self.prompt_tokens += tokens[0]
        self.completion_tokens += tokens[1]
        before = self._tokens.get(model, (0, 0))
        self._tokens[model] = (before[0] + tokens[0], before[1] + tokens[1])

    def cost(self, prices: Prices, *, batch: bool = False) -> float:
        """Cost at these prices, of live calls or of batches.

        Raises:
            InputError: if a model has no price.
        """
        return sum(
            (prices.required(model).cost(*tokens, batch=batch) for model, tokens in self._tokens.items()), 0.0
        )

    def scaled(self, factor: float) -> "CostEstimate":
        """The estimate of `factor` times as many items of the same kind.

        >>> CostEstimate(calls=3, prompt_tokens=20).scaled(2.5).calls
        8
        """

        def times(counts: Counter[str]) -> Counter[str]:
            return Counter({name: round(count * factor) for name, count in counts.items()})

        tokens = {
            model: (round(sent * factor), round(received * factor))
            for model, (sent, received) in self._tokens.items()
        }
        return CostEstimate(
            round(self.calls * factor),
            round(self.prompt_tokens * factor),
            round(self.completion_tokens * factor),
            times(self.prompts),
            times(self.models),
            self.rounds,
            round(self.images * factor),
            tokens,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "prompts": dict(self.prompts),
            "models": dict(self.models),
            "rounds": self.rounds,
            **({"images": self.images} if self.images else {}),
        }
