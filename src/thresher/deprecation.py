"""Old names keep working for a while: one `DeprecationWarning` says what to write instead.

What is public, and how long an old name works, is in docs/decisions/0013-public-api.md.
"""

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import FrameType, NoneType
from typing import Any, TypeVar

T = TypeVar("T", bound=Callable[..., Any])

_FRAMEWORKS = ("thresher", "haystack", "importlib")
"""Packages between the caller and an old name: Haystack calls components when it loads a pipeline."""


@dataclass(frozen=True)
class Deprecated:
    """Old names of one release: which release replaced them, and which will drop them.

    Attributes:
        since: first version with the new names, e.g. "0.2".
        until: first version without the old names, at least one minor release later, e.g. "0.3".
    """

    since: str
    until: str

    def warn(self, old: str, new: str) -> None:
        """Warn at the caller's line outside this package that `old` is written `new` now."""
        frame = _caller()
        if frame is None or frame.f_code.co_name == "_handle_fromlist":
            return  # `from package import name` looks a name up twice: this is the first time
        message = f"{old} is deprecated since {self.since} and ends in {self.until}; write {new}"
        warnings.warn_explicit(
            message,
            DeprecationWarning,
            frame.f_code.co_filename,
            frame.f_lineno,
            frame.f_globals.get("__name__"),
            frame.f_globals.setdefault("__warningregistry__", {}),
        )

    def attributes(self, module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
        """Return a `__getattr__` for a module whose classes, functions or constants were renamed or moved.

        A module with a `__getattr__` already calls the returned function where it would raise.

        Args:
            module: `__name__` of the module.
            names: old name -> new name in the same module, or its full dotted path.
        """

        def lookup(name: str) -> Any:
            if name not in names:
                raise AttributeError(f"module {module!r} has no attribute {name!r}")
            new = names[name] if "." in names[name] else f"{module}.{names[name]}"
            self.warn(f"{module}.{name}", new)
            place, _, attribute = new.rpartition(".")
            return getattr(import_module(place), attribute)

        return lookup

    def options(
        self,
        names: Mapping[str, str | tuple[str, Mapping[Any, Any]]] | None = None,
        *,
        values: Mapping[str, Mapping[Any, Any]] | None = None,
    ) -> Callable[[T], T]:
        """Decorate a function, or a class for its `__init__`, that took keywords or values of other names.

        Write it above `@metric`, which refuses unknown names. Introspection and type checkers see
        the new names only.

        Args:
            names: old option -> new option, or (new option, {old value: new value}) for values that only
                the old option had.
            values: new option -> {old value: new value}, under both names; NaN equals NaN. Options that the
                target does not have may be among them.

        Raises:
            TypeError: from the decorated callable, if an option is given by its old and its new name.
        """
        renames = {
            old: new if isinstance(new, tuple) else (new, (values or {}).get(new, {}))
            for old, new in (names or {}).items()
        }
        replacements = dict(values or {})

        def decorate(target: T) -> T:
            plain: Callable[..., Any] = target.__init__ if isinstance(target, type) else target  # type: ignore[misc]

            @functools.wraps(plain)
            def wrapped(*args: Any, **options: Any) -> Any:
                return plain(*args, **self._current(target.__name__, options, renames, replacements))

            if isinstance(target, type):
                setattr(target, "__init__", wrapped)  # noqa: B010  # mypy forbids the plain assignment
                return target
            return wrapped  # type: ignore[return-value]

        return decorate

    def value(self, what: str, value: Any, values: Mapping[Any, Any]) -> Any:
        """Return the new form of a value, with a warning if it was an old one.

        Args:
            what: what the value names, for the message, e.g. "metric".
            value: the value that was given.
            values: old value -> new value.
        """
        current = _replaced(value, values)
        if current is not value:
            self.warn(f"{what} {value!r}", repr(current))
        return current

    def _current(
        self,
        owner: str,
        options: Mapping[str, Any],
        renames: Mapping[str, tuple[str, Mapping[Any, Any]]],
        replacements: Mapping[str, Mapping[Any, Any]],
    ) -> dict[str, Any]:
        """Keywords under their new names with their new values; one warning for all that changed."""
        current: dict[str, Any] = {}
        old: list[str] = []
        new: list[str] = []
        for given, value in options.items():
            option, old_values = renames.get(given, (given, replacements.get(given, {})))
            if option != given and option in options:
                raise TypeError(f"{owner} got {given!r} and its new name {option!r}; write {option!r} only")
            current[option] = _replaced(value, old_values)
            if option != given or current[option] is not value:
                old.append(f"{given}={value!r}")
                new.append(f"{option}={current[option]!r}")
        if old:
            self.warn(f"{owner}({', '.join(old)})", ", ".join(new))
        return current


def _replaced(value: Any, values: Mapping[Any, Any]) -> Any:
    """The new form of a value, or the value itself where it has none."""
    return next((new for old, new in values.items() if _same(old, value)), value)


def _same(old: Any, value: Any) -> bool:
    """Whether two option values are equal; NaN equals NaN, and True is not 1."""
    if not isinstance(value, str | int | float | NoneType) or isinstance(old, bool) != isinstance(
        value, bool
    ):
        return False
    return bool(old == value) or (old != old and value != value)  # noqa: PLR0124  # NaN


def _caller() -> FrameType | None:
    """The innermost frame outside this package and the frameworks that call it."""
    frame = inspect.currentframe()
    while frame is not None and _is_framework(frame):
        frame = frame.f_back
    return frame


def _is_framework(frame: FrameType) -> bool:
    root = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return root in _FRAMEWORKS and frame.f_code.co_name != "_handle_fromlist"
