"""The registry of formats: one file in `rendering/formats` each, with a `RENDERER`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Protocol

from thresher.errors import InputError
from thresher.files.writing import replace_file
from thresher.reports.rendering import formats
from thresher.surface import option


class HasDefault(Protocol):
    """What the registry needs of a report; formats need more of `thresher.reports.report.Report`."""

    def default(self) -> Any:
        """Return what Python returns by default."""


@dataclass(frozen=True)
class Renderer:
    """How a report becomes one format.

    Attributes:
        name: value of `output_format=` and `--format`.
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
    """Return all formats by name, in the order of their names."""
    modules = sorted(module.name for module in iter_modules(formats.__path__))
    loaded = (import_module(f"{formats.__name__}.{name}").RENDERER for name in modules)
    return {renderer.name: renderer for renderer in loaded}


def renderer_of(name: object) -> Renderer:
    """Return the format of this name.

    Raises:
        InputError: for an unknown name; lists the known ones.
    """
    known = renderers()
    if not isinstance(name, str) or name not in known:
        from thresher.results.suggestions import suggest  # --help must not load numpy

        near, choices = suggest(str(name), known), ", ".join(["default", *known])
        raise InputError(f"output_format={name!r} is unknown{near}; choose one of {choices}")
    return known[name]


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
    return [each.name for each in known if (each.is_text or each.save) and (pages or not each.is_page)]


def format_of(path: str | Path) -> str | None:
    """Return the name of the format that the suffix of a file means; None if it means none.

    >>> format_of("report.html"), format_of("report.XLSX"), format_of("report.log")
    ('html', 'excel', None)
    """
    suffix = Path(path).suffix.lower()
    return next((name for name, known in renderers().items() if suffix in known.suffixes), None)


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
        example = f"FILE{renderer.suffixes[0]}"
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
