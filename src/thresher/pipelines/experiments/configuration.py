"""One configuration of an experiment."""

from dataclasses import dataclass, field
from typing import Any

from thresher.pipelines.experiments.levels import is_plain, is_short


@dataclass(frozen=True)
class Configuration:
    """One pipeline of an experiment.

    Attributes:
        name: readable and unique in the experiment.
        settings: path -> value.
        levels: factor -> label of its level, for conditions; empty for named configurations.
    """

    name: str
    settings: dict[str, Any]
    levels: dict[str, str] = field(default_factory=dict, compare=False)

    @property
    def described(self) -> dict[str, Any]:
        """The settings as plain data: an object is written as the label of its level."""
        return {
            path: value if is_plain(value) else self.levels.get(path, type(value).__name__)
            for path, value in self.settings.items()
        }

    @property
    def factors(self) -> dict[str, Any]:
        """Factor -> its value if that is short, else its label: what reports compare the effects of.

        Parameters that vary together are one factor, whose effect can be estimated.
        """
        values: dict[str, Any] = self.levels or self.settings
        return {
            name: self.settings[name] if is_short(self.settings.get(name, ())) else str(label)
            for name, label in values.items()
        }
