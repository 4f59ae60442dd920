"""Paths: what a setting changes, as `component.parameter[.key]`."""

from dataclasses import dataclass
from typing import Literal, Self

from thresher.errors import InputError

Side = Literal["query", "indexing"]
SIDES: tuple[Side, ...] = ("query", "indexing")


@dataclass(frozen=True)
class SettingPath:
    """The address of a setting.

    Attributes:
        component: name of the component, or a keyword of a factory.
        keys: the parameter and keys within its value; empty for the whole component.
        side: which pipeline the component is in; None if the path does not say.
    """

    component: str
    keys: tuple[str, ...] = ()
    side: Side | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `retriever.top_k`, `llm.generation_kwargs.seed`, `llm` or `indexing:splitter.split_by`.

        Raises:
            InputError: if a part is empty, or the pipeline before the colon is unknown.
        """
        if not isinstance(text, str):
            raise InputError(f"{text!r} is not the path of a setting: write COMPONENT.PARAMETER")
        before, colon, rest = text.partition(":")
        side = next((known for known in SIDES if colon and before == known), None)
        component, *keys = (rest if side else text).split(".")
        if not component or not all(keys) or (colon and side is None):
            raise InputError(
                f"{text!r} is not the path of a setting: write COMPONENT.PARAMETER, e.g. retriever.top_k, "
                "or indexing:COMPONENT.PARAMETER if both pipelines have a component of that name"
            )
        return cls(component, tuple(keys), side)

    def __str__(self) -> str:
        path = ".".join((self.component, *self.keys))
        return f"{self.side}:{path}" if self.side else path
