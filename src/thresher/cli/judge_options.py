"""Generation settings from the command line: `--judge-option NAME=VALUE`."""

import copy
from collections.abc import Sequence
from typing import Any

from haystack import Pipeline

from thresher.errors import InputError
from thresher.judges import default_judge
from thresher.judges.panels.judge_panel import JudgePanel, judges_of
from thresher.kernels.checks.strict_json import InvalidJsonError, read_json
from thresher.pipelines.judged import judged_components

_OWNERS = {
    "model": "name the model with --judge-model",
    "messages": "prompts come from the metrics",
    "n": "each request has one reply",
    "stream": "replies are read as a whole",
    "response_format": "the metrics set the form of replies",
}
"""Settings that would change what is asked or how replies are read, and where they come from."""

_OBJECTS = ("extra_headers", "extra_query", "extra_body")
"""Settings that OpenAI's client accepts as JSON objects only; each request would fail with another value."""


def judge_options(texts: Sequence[str]) -> dict[str, Any]:
    """Return the settings of `--judge-option`; a value that is not JSON is a string.

    >>> judge_options(["reasoning_effort=low", "max_completion_tokens=4096"])
    {'reasoning_effort': 'low', 'max_completion_tokens': 4096}

    Raises:
        InputError: for another form, a name given twice, or a setting that Thresher sets.
    """
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not name or not equals:
            raise InputError(f"--judge-option {text}: write NAME=VALUE, e.g. reasoning_effort=low")
        if name in settings:
            raise InputError(f"--judge-option {name}: given twice; remove one of them")
        if name in _OWNERS:
            raise InputError(f"--judge-option {name}: {_OWNERS[name]}; remove the option")
        settings[name] = _value(name, value)
        if name in _OBJECTS and not isinstance(settings[name], dict | None):
            raise InputError(
                f'--judge-option {name}: write a JSON object, e.g. {name}=\'{{"NAME": "VALUE"}}\''
            )
    return settings


def add_options(pipeline: Pipeline, settings: dict[str, Any]) -> None:
    """Add generation settings to the judges of a pipeline; None removes a setting.

    Metrics that share a judge share the changed one.

    Raises:
        InputError: if a judge takes no generation settings.
    """
    changed: dict[int, Any] = {}
    for name in judged_components(pipeline):
        component: Any = pipeline.get_component(name)
        source = component.chat_generator
        if id(source) not in changed:
            whose = f"the judge of {name}"
            judges = [with_settings(judge, settings, whose) for judge in judges_of(source or default_judge())]
            panel = JudgePanel.of(source)
            changed[id(source)] = judges[0] if panel is None else panel.replaced(judges)
        component.chat_generator = changed[id(source)]


def with_settings(judge: Any, settings: dict[str, Any], whose: str = "the judge") -> Any:
    """Return a copy of a judge with further generation settings; None removes a setting.

    Raises:
        InputError: if the judge, which `whose` describes, takes no generation settings.
    """
    if not hasattr(judge, "generation_kwargs"):
        raise InputError(
            f"--judge-option: {whose} ({type(judge).__name__}) takes no generation settings; "
            "remove the option, or name another judge with --judge-model"
        )
    judge = copy.copy(judge)
    merged = {**(judge.generation_kwargs or {}), **settings}
    judge.generation_kwargs = {name: value for name, value in merged.items() if value is not None}
    return judge


def _value(name: str, text: str) -> Any:
    """Parse JSON; any other text is a string, so that a shell needs no quotes within quotes."""
    try:
        return read_json(text)
    except InvalidJsonError as error:
        if text.startswith(("{", "[", '"')):
            # Without the text: headers hold credentials.
            raise InputError(f"--judge-option {name}: the value is not JSON: {error}") from None
        return text
