"""Load pipelines from YAML."""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from haystack import Pipeline
from haystack.marshal import YamlMarshaller

from thresher.errors import InputError
from thresher.files.parsing import parse_yaml
from thresher.files.texts import whole_text
from thresher.pipelines.component_failures import component_failure
from thresher.pipelines.named_code import check_names
from thresher.pipelines.pipeline_shape import check_shape
from thresher.pipelines.pipeline_text import check_credentials
from thresher.pipelines.sent_secrets import Consent, check_secrets, without_judges
from thresher.plugins import plugin_packages
from thresher.results.suggestions import suggest
from thresher.version import COMPONENT_MODULES

_TRUST = Consent(trust=True)


def load_pipeline(path: str | Path, *, trust: bool = False) -> Pipeline:
    """Load an evaluation pipeline from one of Haystack's YAML files.

    Args:
        path: the file. For components of other packages than Haystack and Thresher, import the package and
            allow it as Haystack's documentation describes.
        trust: whether the file may send any environment variable to any address. By default, the keys of
            known providers may be sent to their providers only. Pipelines that are loaded in other ways, e.g.
            by `Pipeline.load`, are not checked.

    Raises:
        InputError: if the file is missing, does not hold a valid pipeline, or would send other variables.
            Raised before a component is created.
    """
    return load_file(path, Consent(trust=trust))


def load_file(path: str | Path, consent: Consent) -> Pipeline:
    """Load a pipeline from a file as `load_pipeline`, with all that the command line allows it."""
    if not Path(path).exists():
        raise InputError(f"{path} does not exist; give the path of a pipeline (looked from {Path.cwd()})")
    return built(parsed(whole_text(Path(path)), str(path)), str(path), consent)


def parsed(text: str, where: str) -> Any:
    """Parse the YAML of a pipeline; `where` names it in messages."""
    return parse_yaml(text, where, YamlMarshaller().unmarshal)


def built(data: Any, where: str, consent: Consent = _TRUST) -> Pipeline:
    """Create a pipeline of parsed YAML.

    Args:
        data: what the YAML holds; may be changed.
        where: the file, for messages.
        consent: what the user allows the file; by default everything, for shipped files.

    Raises:
        InputError: as `load_pipeline`.
    """
    if not (isinstance(data, dict) and isinstance(data.get("components"), dict)):
        raise InputError(f"{where} is not a pipeline: it has no mapping `components`")
    check_shape(data, where)
    check_credentials(data, where)
    if consent.new_judge:
        data["components"] = without_judges(data["components"])
    check_names(data["components"], where)
    check_secrets(data["components"], where, consent)
    _check_runs(data.get("max_runs_per_component", 1), where)
    data = {**data, "components": _as_connected(data["components"], data.get("connections", []))}
    try:
        return Pipeline.from_dict(data, allowed_modules=[*COMPONENT_MODULES, *plugin_packages()])
    except Exception as error:  # components, and Haystack for a wrong connection, raise errors of any class
        reason = component_failure(error)
        reason = _unknown_component(reason) or _untrusted_module(reason)
        raise InputError(f"{where} is not a pipeline that can be loaded: {reason}") from error


def _as_connected(components: Mapping[str, Any], connections: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Components in the order of their connections: YAML sorts them, and Haystack writes connections so."""
    names = [wire.get("sender", "").partition(".")[0] for wire in connections]
    return {**{name: components[name] for name in names if name in components}, **components}


def _check_runs(most: object, where: str) -> None:
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InputError(f"{where}: max_runs_per_component is {most!r}; give a whole number of at least 1")


def _untrusted_module(reason: str) -> str:
    """Haystack's refusal with a remedy for its module, in place of arguments of `Pipeline.load`."""
    refusal, _, _ = reason.partition(" If you trust the source")
    module = re.search(r"a class from module '([\w.]+)'", refusal)
    if module is None:
        return refusal
    return (
        f"{refusal} If you trust it, pass --plugin {module[1]} or --plugin FILE.py; in Python, first call "
        f"haystack.core.serialization.allow_deserialization_module({module[1]!r})"
    )


def _unknown_component(reason: str) -> str:
    """What is wrong with a misspelt class: Haystack lists all components of the process instead."""
    missing = re.search(r"couldn't find '([\w.]+)\.(\w+)' in the component registry", reason)
    if missing is None:
        return ""
    module, name = missing.groups()
    likely = suggest(name, dir(sys.modules[module]))
    return f"the module {module} has no component {name!r}{likely}"
