"""A pipeline's YAML, and which component has none: a judge may hold a client, a lock or a lambda."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from haystack import Pipeline
from haystack.core.serialization import component_to_dict
from haystack.marshal import YamlMarshaller

from thresher.errors import InputError
from thresher.results.redaction import redacted, redacted_message, redacted_place, redacted_problem


@dataclass(frozen=True)
class PipelineText:
    """What can be written down of a pipeline.

    Attributes:
        yaml: its YAML, with fingerprints in place of credentials; empty if there is none.
        problem: why there is none: the component, and what Haystack says of it.
        secret: whether that is only a key given as such. It does not change what a judge answers, so the
            signatures still identify the run.
    """

    yaml: str
    problem: str = ""
    secret: bool = False

    @classmethod
    def of(cls, pipeline: Pipeline, described: Callable[[], dict[str, Any]]) -> "PipelineText":
        """Write a pipeline down.

        Args:
            pipeline: the pipeline.
            described: makes its dictionary.

        Raises:
            InputError: if the pipeline was loaded from such a YAML and lacks its credentials.
        """
        try:
            parts = described()
            text = YamlMarshaller().marshal(without_credentials(parts))
        except Exception as error:  # noqa: BLE001  (any `to_dict` of a judge or of its parts may raise)
            secret = isinstance(error, ValueError) and "secret" in str(error).casefold()
            return cls("", problem(pipeline, error), secret)
        check_credentials(parts, "the pipeline")
        return cls(text)

    def check(self) -> None:
        """Refuse to keep a run whose judge cannot be told from another: resuming it could mix the two.

        Raises:
            InputError: naming the component and the remedy.
        """
        if self.problem and not self.secret:
            raise InputError(
                f"the run cannot be kept in `out`, since {self.problem}; define functions at the top level "
                "of a module, give the generator a to_dict, or leave out `out`"
            )


def without_credentials(pipeline: dict[str, Any]) -> dict[str, Any]:
    """A pipeline's dictionary with fingerprints in place of credentials."""
    # Part by part: the name of a component, such as token_f1, is not that of an option.
    parts = {name: redacted(dict(part)) for name, part in pipeline["components"].items()}
    return {**pipeline, "components": parts, "metadata": redacted(pipeline.get("metadata", {}))}


def check_credentials(pipeline: Mapping[str, Any], where: str) -> None:
    """Refuse a pipeline that has the fingerprint of a credential where the credential should be.

    Args:
        pipeline: its dictionary.
        where: what to call it in the message.

    Raises:
        InputError: naming the option.
    """
    place = redacted_place(pipeline.get("components"), "components")
    if place is not None:
        raise InputError(f"{where}: {redacted_problem(place)}")


def problem(pipeline: Pipeline, error: Exception) -> str:
    """The first component that cannot be written down, and why."""
    for name in pipeline.graph.nodes:
        part = pipeline.get_component(name)
        try:
            YamlMarshaller().marshal(component_to_dict(part, name))
        except Exception as own:  # noqa: BLE001  (as above)
            return f"component {name!r} ({type(part).__name__}) cannot be serialised: {_line(own)}"
    return f"the pipeline cannot be serialised: {_line(error)}"


def _line(error: Exception) -> str:
    return redacted_message(" ".join(str(error).split())).rstrip(".") or type(error).__name__
