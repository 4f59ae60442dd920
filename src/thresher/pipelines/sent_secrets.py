"""Check where a pipeline file would send secrets of the environment, before any of its components is created.

A file may name any environment variable and any address, so a file from another author could send any secret
anywhere. The check pairs the variables with the addresses of the same component. It reads what Haystack will
load: the parsed file, and the default options of the classes that it names.
"""

import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from haystack.core.serialization import import_class_by_name
from haystack.utils.auth import EnvVarSecret

from thresher.counted import counted
from thresher.errors import InputError
from thresher.metrics.judging import JudgedMetric
from thresher.pipelines.providers import AZURE_TOKEN, is_known, is_provider, origin
from thresher.plugins import is_allowed
from thresher.results.redaction import is_variable, redacted

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PLACE = re.compile(
    r"(?:^|_)(?:url|uri|host|hostname|endpoint|prox(?:y|ies)|server|address|domain|base)s?(?:_|$)"
)
"""Options whose text is an address even without a scheme."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ALL_VARIABLES = re.compile(r"\$ENV\b|(?<![.\w\"$])env\b")
"""In an expression of jq (`JSONConverter`): reads all variables into documents, which others may send."""
_COMPUTED = ("builtins.", "collections.")
"""Modules of objects, such as `str`, from which a file could assemble an address that no option shows."""


@dataclass(frozen=True)
class Consent:
    """What the user allows a pipeline file.

    Attributes:
        trust: whether it may send any variable anywhere.
        new_judge: whether the user names a judge, which replaces the judges in the file.
        variable: environment variable with the key of that judge.
        url: address of that judge; empty for its provider's.
    """

    trust: bool = False
    new_judge: bool = False
    variable: str = ""
    url: str = ""


@dataclass(frozen=True)
class _Sent:
    """A variable, the class that reads it, and an address that it may go to; empty for the class's own."""

    variable: str
    class_name: str
    address: str = ""

    def __str__(self) -> str:
        # A password with an unencoded `/` would be the port of the origin.
        address = origin(str(redacted(self.address, "url")))
        return f"{self.variable} to {address or f'the service of {self.class_name}'}"


@dataclass(frozen=True)
class _Scan:
    """Variables and addresses in a part of a file.

    Attributes:
        variables: (variable, class that reads it).
        addresses: possible destinations of variables in the surrounding parts.
        sent: pairs within the part.
    """

    variables: frozenset[tuple[str, str]] = frozenset()
    addresses: frozenset[str] = frozenset()
    sent: frozenset[_Sent] = frozenset()


def without_judges(components: Mapping[str, Any]) -> dict[str, Any]:
    """The components without their judges: a judge that the user replaces is not created."""
    return {name: _without_judge(part) for name, part in components.items()}


def check_secrets(components: Mapping[str, Any], where: str, consent: Consent) -> None:
    """Raise for environment variables that would go elsewhere than to their provider or the user's judge.

    Args:
        components: name -> dictionary of each component of a pipeline, as the file has it.
        where: the file, for the message.
        consent: what the user allows.

    Raises:
        InputError: naming each variable and its destination; and for a key in the file itself.
    """
    for name, part in components.items():
        _check_variables(part, f"{where}: {name}")
    scan = _joined(_scan(part, "", "") for part in components.values()) if not consent.trust else _Scan()
    refused = [sent for sent in scan.sent if not _is_allowed(sent, consent)]
    if not refused:
        return
    listed = ", ".join(sorted({str(sent) for sent in refused}))
    other = "" if consent.new_judge else ", or name another judge with --judge-model and --judge-url"
    raise InputError(
        f"{where} would send {listed}: add --trust (in Python, trust=True) if you trust this file{other}"
    )


def _is_allowed(sent: _Sent, consent: Consent) -> bool:
    named = bool(consent.url) and sent.variable == consent.variable
    same = named and origin(sent.address) == origin(consent.url)
    return same or is_known(sent.variable, sent.class_name, sent.address)


def _check_variables(value: Any, where: str) -> None:
    """Raise for a `Secret` whose variable is perhaps the key itself, so the message does not repeat it."""
    if isinstance(value, list | tuple):
        for number, entry in enumerate(value):
            _check_variables(entry, f"{where}[{number}]")
    if not isinstance(value, Mapping):
        return
    names = value.get("env_vars", ()) if value.get("type") == "env_var" else ()
    for name in names if isinstance(names, list | tuple) else (names,):
        if not is_variable(str(name)):
            raise InputError(
                f"{where}.env_vars has {counted(len(str(name)), 'character')} that name no environment "
                "variable; store the key in a variable such as OPENAI_API_KEY and write its name"
            )
    options = value.get("init_parameters")
    for key, entry in options.items() if isinstance(options, Mapping) else ():
        if isinstance(entry, str) and _is_secret(str(value.get("type")), str(key)):
            raise InputError(
                f"{where}.init_parameters.{key} is a text, perhaps the key itself; store the key in a "
                "variable such as OPENAI_API_KEY and write "
                f"{key}: {{type: env_var, env_vars: [OPENAI_API_KEY]}}"
            )
    for key, entry in value.items():
        _check_variables(entry, f"{where}.{key}")


def _is_secret(kind: str, option: str) -> bool:
    """Whether a class takes a `Secret` as this option, which no text can be; by the name if it is unknown."""
    owner = class_named(kind)
    try:
        parameter = inspect.signature(owner.__init__).parameters.get(option) if owner else None
    except ValueError:  # some classes written in C have no signature
        parameter = None
    if parameter is None or parameter.annotation is parameter.empty:
        return option == "api_key"
    annotation = str(parameter.annotation)
    return "Secret" in annotation and "str" not in re.findall(r"\w+", annotation)


def _scan(value: Any, name: str, owner: str) -> _Scan:
    """Scan a value of a file.

    Args:
        value: the value.
        name: the option that has it.
        owner: name of the class of the surrounding object.
    """
    if isinstance(value, Mapping):
        return _scan_mapping(value, name, owner)
    if isinstance(value, list | tuple | set):
        return _joined(_scan(entry, name, owner) for entry in value)
    if isinstance(value, str) and value.endswith(AZURE_TOKEN):
        return _Scan(variables=frozenset({(AZURE_TOKEN, owner)}))
    if isinstance(value, str) and name == "jq_schema" and _ALL_VARIABLES.search(value):
        return _Scan(sent=frozenset({_Sent("all variables", owner)}))
    address = _address(value, name)
    return _Scan(addresses=frozenset({address} if address else ()))


def _scan_mapping(value: Mapping[Any, Any], name: str, owner: str) -> _Scan:
    kind = value.get("type")
    if isinstance(kind, str) and "." in kind:
        return _scan_object(value, kind)
    listed = value.get("env_vars", [])
    variables = listed if isinstance(listed, list | tuple) else [listed]
    is_proxies = "prox" in name.lower()  # their keys are protocols
    parts = [_scan(entry, name if is_proxies else str(key), owner) for key, entry in value.items()]
    scan = _joined([*parts, _Scan(frozenset((str(variable), owner) for variable in variables))])
    return _Scan(scan.variables, frozenset(), scan.sent) if "headers" in name.lower() else scan


def _scan_object(value: Mapping[Any, Any], kind: str) -> _Scan:
    """Scan an object, whose class is `kind`."""
    owner = kind.rpartition(".")[2]
    parameters = value.get("init_parameters")
    options = (
        {**_defaults(kind), **_without_nulls(parameters)}
        if isinstance(parameters, Mapping | None)
        else parameters
    )
    scan = _joined(
        _scan(entry, str(key), owner) for key, entry in {**value, "init_parameters": options}.items()
    )
    if kind.startswith(_COMPUTED):
        return _Scan(scan.variables, scan.addresses | {f"an address made by {kind}"}, scan.sent)
    if not scan.variables:
        return scan
    # Other classes may also get an address from a text, such as the specification of an interface.
    own = {_Sent(*variable) for variable in scan.variables if variable[1] == owner}
    own = own if not (scan.addresses and is_provider(owner)) else set()
    # A judge in a list of judges does not send the secrets of its neighbours, so its addresses stay inside.
    return _Scan(scan.variables, frozenset(), scan.sent | own)


def _joined(scans: Iterable[_Scan]) -> _Scan:
    """Some scans as one, with the pairs between them."""
    every = list(scans)
    variables = frozenset[tuple[str, str]]().union(*(scan.variables for scan in every))
    addresses = frozenset[str]().union(*(scan.addresses for scan in every))
    pairs = frozenset(_Sent(*variable, address) for variable in variables for address in addresses)
    return _Scan(variables, addresses, pairs.union(*(scan.sent for scan in every)))


def _address(value: Any, name: str) -> str:
    """The value if it is an address, else an empty string."""
    if isinstance(value, bytes):
        return f"an address in the bytes of {name}"
    if not isinstance(value, str) or name.startswith("$"):  # `$schema` and `$ref` of JSON schemas
        return ""
    text = value.strip()
    is_place = _PLACE.search(_CAMEL.sub("_", name).lower()) is not None
    return text if _SCHEME.match(text) or is_place else ""


def _defaults(kind: str) -> dict[str, Any]:
    """Secrets and texts among the default options of a class; a file need not write them."""
    owner = class_named(kind)
    try:
        options = inspect.signature(owner.__init__).parameters.items() if owner else ()
    except ValueError:  # some classes written in C have no signature
        return {}
    defaults = {name: option.default for name, option in options}
    secrets = {name: value.to_dict() for name, value in defaults.items() if isinstance(value, EnvVarSecret)}
    return secrets | {name: value for name, value in defaults.items() if isinstance(value, str)}


def _without_nulls(options: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """The options with a value: for a null, libraries read the variable of the default."""
    return {name: value for name, value in (options or {}).items() if value is not None}


def _without_judge(part: Any) -> Any:
    options = part.get("init_parameters") if isinstance(part, Mapping) else None
    if not isinstance(options, Mapping) or not _is_judged(str(part.get("type"))):
        return part
    rest = {name: value for name, value in options.items() if name != "chat_generator"}
    return {**part, "init_parameters": rest}


def _is_judged(kind: str) -> bool:
    owner = class_named(kind)
    return kind.startswith("thresher.") or (owner is not None and issubclass(owner, JudgedMetric))


def class_named(kind: str) -> type[Any] | None:
    """The class of a dotted name, by Haystack's rules of what a file may import; None if there is none."""
    module, _, name = kind.rpartition(".")
    try:
        owner = getattr(import_module(module), name) if is_allowed(module) else import_class_by_name(kind)
    except Exception:  # noqa: BLE001  (modules may raise anything; loading the file reports it)
        return None
    return owner if isinstance(owner, type) else None
