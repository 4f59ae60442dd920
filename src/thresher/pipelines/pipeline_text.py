"""A pipeline's YAML, or why it has none: a judge may hold a client, a lock or a lambda."""

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
    """The serialisation of a pipeline.

    Attributes:
        yaml: its YAML, with fingerprints in place of credentials; empty if it cannot be serialised.
        problem: why it cannot: the component, and Haystack's message.
        secret: whether the only obstacle is a key given as plain text. The key does not change what a judge
            answers, so the signatures still identify the run.
    """

    yaml: str
    problem: str = ""
    secret: bool = False

    @classmethod
    def of(cls, pipeline: Pipeline, to_dict: Callable[[], dict[str, Any]]) -> "PipelineText":
        """Serialise a pipeline.

        Args:
            pipeline: the pipeline.
            to_dict: creates its dictionary.

        Raises:
            InputError: if the pipeline was loaded from such a YAML and lacks its credentials.
        """
        try:
            parts = to_dict()
            text = YamlMarshaller().marshal(without_credentials(parts))
        except Exception as error:  # noqa: BLE001  (any `to_dict` of a judge or of its parts may raise)
            secret = isinstance(error, ValueError) and "secret" in str(error).casefold()
            return cls("", problem(pipeline, error), secret)
        check_credentials(parts, "the pipeline")
        return cls(text)

    def check(self) -> None:
        """Raise unless the run can be identified: resuming it with another judge would mix their scores.

        Raises:
            InputError: naming the component and the remedy.
        """
        if self.problem and not self.secret:
            raise InputError(
                f"the run cannot be saved in `out`, since {self.problem}; define functions at the top level "
                "of a module, give the generator a to_dict, or leave out `out`"
            )


def without_credentials(pipeline: dict[str, Any]) -> dict[str, Any]:
    """A pipeline's dictionary with fingerprints in place of credentials."""
    # Component by component: their names, such as token_f1, must not be taken for option names.
    parts = {name: redacted(dict(part)) for name, part in pipeline["components"].items()}
    return {**pipeline, "components": parts, "metadata": redacted(pipeline.get("metadata", {}))}


def check_credentials(pipeline: Mapping[str, Any], where: str) -> None:
    """Raise for a pipeline with the fingerprint of a credential in place of the credential.

    Args:
        pipeline: its dictionary.
        where: its name in messages.

    Raises:
        InputError: naming the option.
    """
    place = redacted_place(pipeline.get("components"), "components")
    if place is not None:
        raise InputError(f"{where}: {redacted_problem(place)}")


def problem(pipeline: Pipeline, error: Exception) -> str:
    """The first component that cannot be serialised, and why."""
    for name in pipeline.graph.nodes:
        part = pipeline.get_component(name)
        try:
            YamlMarshaller().marshal(component_to_dict(part, name))
        except Exception as cause:  # noqa: BLE001  (as above)
            return f"component {name!r} ({type(part).__name__}) cannot be serialised: {_line(cause)}"
    return f"the pipeline cannot be serialised: {_line(error)}"


def _line(error: Exception) -> str:
    return redacted_message(" ".join(str(error).split())).rstrip(".") or type(error).__name__
