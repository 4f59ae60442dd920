"""The registry of formats: a file in `rendering/formats` with a `RENDERER`, or an entry point."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Protocol

from thresher.errors import InputError, PluginWarning, ThresherError
from thresher.files.writing import replace_file
from thresher.plugins import described_error, installed_plugins, package_of, top_package
from thresher.reports.rendering import formats
from thresher.surface import option

GROUP = "thresher.formats"
"""Entry-point group: name of a format -> its `Renderer`. A format of this package keeps its name."""


class HasDefault(Protocol):
    """What the registry needs of a report; formats need more of `thresher.reports.report.Report`."""

    def default(self) -> Any:
        """Return what Python returns by default."""


@dataclass(frozen=True)
class Renderer:
    """How a report becomes one format.

    Attributes:
        name: value of `output_format=` and `--format`; of other packages' formats that is the entry point's.
        render: report -> text, or an object for programs; None for a format that is a file only. Formats with
            pages pass the options of the page.
        save: writes a report to a path; None for formats that are text.
        suffixes: suffixes of files that are in this format.
        is_text: whether `render` returns text.
        is_page: whether the format takes the options of a page.
        is_exact: whether programs read the text, so that a pipe must not change a character of it.
        has_notes: whether the format holds notes and findings; the command line prints them to standard error
            otherwise.
    """

    name: str
    render: Callable[..., Any] | None = None
    save: Callable[[Any, Path], None] | None = None
    suffixes: tuple[str, ...] = ()
    is_text: bool = True
    is_page: bool = False
    is_exact: bool = False
    has_notes: bool = True


@cache  # finding them reads a folder
def renderers() -> dict[str, Renderer]:
    """Return the formats of this package by name, in the order of their names."""
    modules = sorted(module.name for module in iter_modules(formats.__path__))
    loaded = (import_module(f"{formats.__name__}.{name}").RENDERER for name in modules)
    return {renderer.name: renderer for renderer in loaded}


class FormatNames(list[str]):
    """Names of formats. It contains those of other packages too, which are searched for on demand."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in _plugin_names()


def _plugin_names() -> list[str]:
    return [plugin.name for plugin in installed_plugins(GROUP) if plugin.name not in renderers()]


def _of_plugins(name: str) -> Renderer:
    """Return the format of another package.

    Raises:
        InputError: if it cannot be loaded, or two packages have it; names them.
    """
    plugins = [plugin for plugin in installed_plugins(GROUP) if plugin.name == name]
    where = f"format {name!r} of {' and '.join(map(package_of, plugins))}"
    if len(plugins) > 1:
        raise InputError(f"{where} is ambiguous; uninstall one of the packages")
    (plugin,) = plugins

    def guarded(function: Callable[..., Any], kind: type = object) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            try:
                returned = function(*args, **options)
            except ThresherError:
                raise
            except Exception as error:  # the code of another package may raise anything
                cause = described_error(error, top_package(plugin.module))
                raise InputError(f"{where} failed: {cause}") from error
            if not isinstance(returned, kind):
                needed = "a text" if kind is str else "a thresher.reports.Renderer"
                raise InputError(f"{where} is {type(returned).__name__} instead of {needed}")
            return returned

        return call

    renderer: Renderer = guarded(plugin.load, Renderer)()
    render = renderer.render and guarded(renderer.render, str if renderer.is_text else object)
    return replace(
        renderer, name=name, is_page=False, render=render, save=renderer.save and guarded(renderer.save)
    )


def renderer_of(name: object) -> Renderer:
    """Return the format of this name.

    Raises:
        InputError: for an unknown name; lists the known ones.
    """
    if isinstance(name, str) and name in renderers():
        return renderers()[name]
    if name in _plugin_names():
        return _of_plugins(str(name))
    from thresher.results.suggestions import suggest  # --help must not load numpy

    known = ["default", *renderers(), *_plugin_names()]
    near = suggest(str(name), known)
    raise InputError(f"output_format={name!r} is unknown{near}; choose one of {', '.join(known)}")


def format_hint(word: str) -> str:
    """Return advice for a format that is given where another argument is expected; empty for other words."""
    if word not in renderers():
        return ""
    return f" (did you mean {option(f'--format {word}', f'output_format={word!r}')}?)"


def file_formats(*, pages: bool = True) -> list[str]:
    """Return the names of the formats that can be printed or written to a file.

    Args:
        pages: whether the command has the options of an HTML page.
    """
    known = renderers().values()
    return FormatNames(
        each.name for each in known if (each.is_text or each.save) and (pages or not each.is_page)
    )


def format_of(path: str | Path) -> str | None:
    """Return the name of the format that the suffix of a file means; None if it means none.

    >>> format_of("report.html"), format_of("report.XLSX"), format_of("report.log")
    ('html', 'excel', None)
    """
    suffix = Path(path).suffix.lower()
    own = next((name for name, known in renderers().items() if suffix in known.suffixes), None)
    return own or next((known.name for known in _loadable_plugins() if suffix in known.suffixes), None)


def _loadable_plugins() -> Iterator[Renderer]:
    for name in dict.fromkeys(_plugin_names()):
        try:
            yield _of_plugins(name)
        except InputError as error:
            warnings.warn(str(error), PluginWarning, stacklevel=2)


def rendered(report: HasDefault, output_format: str = "default", **options: Any) -> Any:
    """Return a report in a format; the report's own default for `default`.

    Raises:
        InputError: for an unknown format, or one that is a file only.
    """
    if output_format == "default":
        return report.default()
    renderer = renderer_of(output_format)
    return check_printable(renderer)(report, **options)


def check_printable(renderer: Renderer) -> Callable[..., Any]:
    """Return the function that renders a report.

    Raises:
        InputError: for a format of files only.
    """
    if renderer.render is None:
        example = f"FILE{next(iter(renderer.suffixes), '')}"
        raise InputError(f"{renderer.name} cannot be printed: give -o {example}, in Python save({example!r})")
    return renderer.render


def write(report: HasDefault, path: str | Path, output_format: str, **options: Any) -> None:
    """Write a report to a file in a format.

    Raises:
        InputError: for an unknown format, one that is not for files, or a file that cannot be written.
    """
    renderer = renderer_of(output_format)
    if renderer.save is not None:
        renderer.save(report, Path(path))
        return
    if not renderer.is_text:
        raise InputError(
            f"{output_format} is not a format of files; choose one of {', '.join(file_formats())}"
        )
    write_text(path, rendered(report, output_format, **options))


def write_text(path: str | Path, text: str) -> None:
    """Write a text to a file, with one line break at its end.

    Raises:
        InputError: if the file cannot be written.
        DiskFullError: if the disk is full.
    """
    replace_file(path, text.rstrip("\r\n") + "\n")
