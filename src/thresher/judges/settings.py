"""Limits of asking, and prices of tokens."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from thresher.errors import InputError
from thresher.files.parsing import parse_json
from thresher.files.texts import whole_text

_VERSION = re.compile(r"[-@:](?:v?\d{3,8}(?:-\d{2}){0,2}|latest)")
"""Version suffix that providers add to a model's name."""
_PARTS = ("in", "out", "cached_in", "cache_write", "batch")
"""Names in prices."""
TIMEOUT = 60.0
"""Seconds that one call may take if neither the limits nor the generator have a time-out."""


@dataclass(frozen=True)
class Limits:
    """Limits of calls to one model at one endpoint, across all metrics.

    Attributes:
        max_concurrency: calls in flight at the same time.
        requests_per_minute: calls started in any minute; None for no limit.
        tokens_per_minute: tokens sent and received in any minute; None for no limit.
        timeout: seconds that one call may take after it was sent; None for the generator's own time-out,
            or 60.
        max_tries: requests for one answer if the transport fails.

    Raises:
        InputError: if a limit is not positive.
    """

    max_concurrency: int = 16
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float | None = None
    max_tries: int = 6

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InputError(f"{name}={value!r} must be a positive number")
        for name in ("max_concurrency", "max_tries"):
            if not isinstance(getattr(self, name), int):
                raise InputError(f"{name}={getattr(self, name)!r} must be a whole number")

    def of_shard(self, shard: tuple[int, int]) -> "Limits":
        """Part of one of several processes that share these limits; every process gets one call at least.

        >>> Limits(max_concurrency=5, requests_per_minute=60).of_shard((1, 2))
        Limits(max_concurrency=3, requests_per_minute=30.0, tokens_per_minute=None, timeout=None, max_tries=6)
        """
        rates = {name: getattr(self, name) for name in ("requests_per_minute", "tokens_per_minute")}
        return replace(
            self,
            max_concurrency=max(1, whole_share(self.max_concurrency, shard)),
            **{name: rate and rate / shard[1] for name, rate in rates.items()},
        )


def whole_share(total: int, shard: tuple[int, int]) -> int:
    """Share of shard `(i, n)` of a whole number; the shares of all shards add up to it.

    >>> [whole_share(10, (number, 4)) for number in (1, 2, 3, 4)]
    [3, 3, 2, 2]
    """
    number, shards = shard
    return total // shards + (number <= total % shards)


@dataclass(frozen=True)
class Price:
    """Cost of a million tokens.

    Attributes:
        input: of tokens sent.
        output: of tokens received, reasoning included.
        batch: factor for answers that come in a batch; OpenAI, Anthropic and Gemini charge half.
        cached_input: of tokens sent that the provider's prompt cache supplies; None for `input`.
        cache_write: of tokens sent that the provider's prompt cache stores; None for `input`.
    """

    input: float
    output: float
    batch: float = 0.5
    cached_input: float | None = None
    cache_write: float | None = None

    def cost(
        self,
        prompt_tokens: float,
        completion_tokens: float,
        *,
        cached: float = 0,
        written: float = 0,
        batch: bool = False,
    ) -> float:
        """Cost of these tokens, live or in a batch.

        Args:
            prompt_tokens: all tokens sent.
            completion_tokens: all tokens received.
            cached: those of the tokens sent that the provider's prompt cache supplied.
            written: those of the tokens sent that it stored.
            batch: whether the answer came in a batch.

        >>> Price(0.5, 2.0).cost(1_000_000, 250_000), Price(0.5, 2.0).cost(1_000_000, 250_000, batch=True)
        (1.0, 0.5)
        """
        read = self.input if self.cached_input is None else self.cached_input
        write = self.input if self.cache_write is None else self.cache_write
        sent = (prompt_tokens - cached - written) * self.input + cached * read + written * write
        live = (sent + completion_tokens * self.output) / 1e6
        return live * self.batch if batch else live


@dataclass(frozen=True)
class Prices:
    """A price for each model, and a default for all others; the package ships none.

    >>> Prices.parse("in=0.5,out=2").of("any-model")
    Price(input=0.5, output=2.0, batch=0.5, cached_input=None, cache_write=None)
    """

    default: Price | None = None
    models: Mapping[str, Price] = field(default_factory=dict)

    def of(self, model: str) -> Price | None:
        """The price of a model: by its name, else by its name without the version, else the default.

        "gpt-x-2026-01-31" costs what "gpt-x" costs; "gpt-x-mini" is another model.
        """
        matches = [
            name
            for name in self.models
            if model == name or (model.startswith(name) and _VERSION.fullmatch(model, len(name)))
        ]
        return self.models[max(matches, key=len)] if matches else self.default

    def required(self, model: str) -> Price:
        """The price of a model, as `of`.

        Raises:
            InputError: if neither the model nor the default has a price.
        """
        price = self.of(model)
        if price is None:
            raise InputError(f"no price for {model!r}; add it to the price table, or a default")
        return price

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `in=0.15,out=0.6` (cost of a million tokens), or the name of a JSON file.

        The file holds `{"gpt-4.1-mini": {"in": 0.4, "out": 1.6}, "default": {...}}`. The prices of
        cached input and the factor for batches are optional:
        `in=0.15,out=0.6,cached_in=0.015,cache_write=0.19,batch=0.5`.

        Raises:
            InputError: if the text is neither, or names anything else.
        """
        if text.endswith(".json"):
            return cls._load(Path(text))
        parts = dict(part.partition("=")[::2] for part in text.replace(" ", "").split(","))
        return cls(_price(parts, f"price {text!r}"))

    @classmethod
    def _load(cls, path: Path) -> Self:
        table = parse_json(whole_text(path), path)
        if not isinstance(table, dict):
            raise InputError(f"the price table {path} must hold an object, model name to price")
        prices = {name: _price(entry, f"{path}: {name}") for name, entry in table.items()}
        return cls(prices.pop("default", None), prices)


def _price(parts: Any, where: str) -> Price:
    try:
        given = {name: float(amount) for name, amount in parts.items() if name in _PARTS}
        batch = given.get("batch", Price.batch)
        price = Price(given["in"], given["out"], batch, given.get("cached_in"), given.get("cache_write"))
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError(f"{where}: give in=... and out=..., the cost of a million tokens") from None
    if unknown := parts.keys() - {*_PARTS, ""}:
        raise InputError(f"{where}: {min(map(str, unknown))!r} is unknown; give any of {', '.join(_PARTS)}")
    if not all(0 <= amount < math.inf for amount in vars(price).values() if amount is not None):
        raise InputError(f"{where}: prices must not be negative")
    return price
