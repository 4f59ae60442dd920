"""Models that a component is given: told in signatures, written in pipelines, warmed up once."""

import hashlib
import json
from typing import Any

from haystack.core.serialization import component_to_dict

_MODEL_ATTRIBUTES = ("model", "model_name", "model_name_or_path", "name_or_path", "azure_deployment")


def model_description(model: Any) -> str:
    """Class and model of a part, and a fingerprint of its settings but secrets, if it can be written."""
    names = (getattr(model, attribute, None) for attribute in _MODEL_ATTRIBUTES)
    name = next((f":{found}" for found in names if isinstance(found, str)), "")
    told = type(model).__name__ + name
    if not (hasattr(model, "__haystack_input__") or hasattr(model, "to_dict")):
        return told
    try:
        options = component_to_dict(model, "model").get("init_parameters", {})
    except Exception:  # noqa: BLE001  (a part of its own may raise anything: its class and model remain)
        return told
    plain = {key: value for key, value in options.items() if not _is_secret(value)}
    whole = json.dumps(plain, sort_keys=True, default=lambda value: type(value).__name__)
    return f"{told}@{hashlib.sha256(whole.encode()).hexdigest()[:8]}"


def model_dict(model: Any) -> Any:
    """A part as a pipeline's file keeps it."""
    return None if model is None else component_to_dict(model, "model")


def warm_up(model: Any) -> None:
    """Load a part's weights, if it has any; Haystack's parts do this only once."""
    if hasattr(model, "warm_up"):
        model.warm_up()


def _is_secret(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "env_var"
