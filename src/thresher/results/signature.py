"""The signature: one printable line of every setting that changes the number."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from thresher.results.redaction import redacted

NUMBERS_VERSION = "1"
"""Increased when the same input gives another number; see *Numbers changed* in the changelog."""


@dataclass(frozen=True)
class Signature:
    """The settings that must match for two values to be comparable.

    Attributes:
        metric: name of the measure, e.g. `rouge1`.
        settings: setting and printable value, in the order of the component's options.
        version: version of the metric's numbers.

    >>> print(Signature.of("rouge1", {"use_stemmer": False, "tokenizer": "rouge-score"}))
    rouge1|use_stemmer:no|tokenizer:rouge-score|version:1
    """

    metric: str
    settings: tuple[tuple[str, str], ...] = ()
    version: str = NUMBERS_VERSION

    @classmethod
    def of(cls, metric: str, settings: Mapping[str, Any], version: str = NUMBERS_VERSION) -> Self:
        """Build a signature from option values; a credential is printed as its fingerprint."""
        pairs = tuple((key, _printed(redacted(value, key))) for key, value in settings.items())
        return cls(metric, pairs, version)

    def __str__(self) -> str:
        parts = [f"{key}:{value}" for key, value in self.settings]
        return "|".join([_escape(self.metric), *parts, f"version:{self.version}"])

    def differences(self, other: "Signature") -> dict[str, tuple[str, str]]:
        """Settings that differ from `other`, with both values (`-` where one side lacks the setting)."""
        mine, theirs = (
            {"metric": side.metric, **dict(side.settings), "version": side.version} for side in (self, other)
        )
        keys = [*mine, *(key for key in theirs if key not in mine)]
        pairs = {key: (mine.get(key, "-"), theirs.get(key, "-")) for key in keys}
        return {key: pair for key, pair in pairs.items() if mine.get(key) != theirs.get(key)}

    def to_dict(self) -> dict[str, Any]:
        """Plain data for files."""
        settings = [list(pair) for pair in self.settings]
        return {"metric": self.metric, "settings": settings, "version": self.version}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        return cls(data["metric"], tuple((key, value) for key, value in data["settings"]), data["version"])


def _printed(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, list | tuple):
        return ",".join(_printed(entry) for entry in value) or "none"
    return _escape(str(value))


def unescaped(value: str) -> str:
    """The printed value of a setting, with the characters that would end it in a signature.

    >>> unescaped("a%7Cb")
    'a|b'
    """
    return value.replace("%0D", "\r").replace("%0A", "\n").replace("%7C", "|").replace("%25", "%")


def _escape(text: str) -> str:
    """Keep the signature on one line and its separators unambiguous."""
    return text.replace("%", "%25").replace("|", "%7C").replace("\n", "%0A").replace("\r", "%0D")
