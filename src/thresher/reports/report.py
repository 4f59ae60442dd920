"""What every report is before it is rendered: tables, JSON data, notes and findings."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar, overload

from thresher.errors import InputError
from thresher.reports.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from thresher.reports.figures.figure import Figure

D = TypeVar("D")
Default = Literal["default"]
AsFrame = Literal["df"]
AsText = Literal["csv", "html", "json", "latex", "markdown", "table"]
"""Formats that come with the package and are text; a test compares them with the registry."""


class Report(ABC, Generic[D]):
    """A report as data. Renderers in `thresher.reports.rendering.formats` turn it into a format.

    Notes (to read before the numbers) and findings (what the numbers say) belong to the tables: `table.notes`
    and `table.reading`. Only what the requested format needs is computed.

    Attributes:
        remarks: further sentences for people, under the table.
        wide: whether each row is an item with all its columns, which takes more than a line of a terminal.
        page_sections: names of the sections of its HTML page, in their order; None for all.
        title: title of a page of its tables.
        headings: headings of these tables; empty for numbers.
    """

    remarks: tuple[str, ...] = ()
    wide: bool = False
    page_sections: tuple[str, ...] | None = None
    title: str = "Report"
    headings: tuple[str, ...] = ()

    @abstractmethod
    def table(self) -> Table:
        """Return the table for programs: every column, unrounded numbers."""

    def summary(self) -> Table:
        """Return the table for people: rounded numbers, the columns that matter."""
        return self.table()

    def layouts(self) -> Iterable[Table]:
        """Return tables for a terminal, from the widest to the narrowest."""
        return [self.summary()]

    def further_tables(self) -> Sequence[Table]:
        """Return tables to show under the first."""
        return ()

    def figures(self) -> "Sequence[Figure]":
        """Return figures to show on a page of tables, above them."""
        return ()

    def leading(self) -> "Report[Any] | None":
        """Return a report to show before this one in formats for people; None if there is none."""
        return None

    def data(self) -> Any:
        """Return the report as JSON data."""
        return list(self.table())

    @abstractmethod
    def default(self) -> D:
        """Return what methods of `EvaluationResults` return by default."""

    def page_arguments(self) -> dict[str, Any] | None:
        """Return the arguments of `thresher.reports.html.html_report`; None for a page of tables alone."""
        return None

    def with_remarks(self, remarks: Sequence[str]) -> Self:
        """Return the report with further sentences for people."""
        extended = copy.copy(self)
        extended.remarks = (*self.remarks, *remarks)
        return extended

    def with_sections(self, names: Sequence[str]) -> Self:
        """Return the report with other sections of its page; `thresher.reports.html.contents` names all."""
        changed = copy.copy(self)
        changed.page_sections = tuple(names)
        return changed

    @overload
    def render(self, output_format: Default = ...) -> D: ...
    @overload
    def render(self, output_format: AsFrame) -> "pd.DataFrame": ...
    @overload
    def render(self, output_format: AsText) -> str: ...
    def render(self, output_format: str = "default") -> Any:
        """Return the report in a format: `default`, `df` (pandas), or text: `csv`, `json`, `markdown`, ...

        Raises:
            InputError: for an unknown format, or one that the report does not have.
        """
        from thresher.reports.rendering.registry import rendered

        return rendered(self, output_format)

    def save(
        self,
        path: str | Path,
        output_format: str | None = None,
        *,
        images: str | Path | None = None,
        image_bytes: int | None = None,
        image_pixels: int | None = None,
    ) -> None:
        """Write the report to a file.

        Args:
            path: the file.
            output_format: name of the format; None to choose it by the suffix (`.html`, `.xlsx`, ...).
            images: folder of the images, to show on an HTML page the worst of one run, or those on which two
                runs differ most.
            image_bytes: bytes of the page for these pictures (default: 2,500,000).
            image_pixels: pixels of the longer side of large pictures (default: 640).

        Raises:
            InputError: for an unknown format or suffix, a file that cannot be written, and for options of
                images without `images`, or with another format than HTML.
        """
        from thresher.reports.rendering.registry import format_of, write

        chosen = format_of(path) if output_format is None else output_format
        if chosen is None:
            raise InputError(
                f"cannot infer a format from {str(path)!r}; pass output_format='markdown' or another"
            )
        pictures = {"images": images, "image_bytes": image_bytes, "image_pixels": image_pixels}
        given = {name: value for name, value in pictures.items() if value is not None}
        if given:
            self._check_pictures(given, chosen)
        write(self, path, chosen, **given)

    def _check_pictures(self, options: dict[str, Any], output_format: str) -> None:
        """Raise unless the format has pictures, and their folder is given."""
        from thresher.reports.rendering.registry import renderer_of

        name = next(iter(options))
        if not renderer_of(output_format).is_page or self.page_arguments() is None:
            what = output_format if self.page_arguments() is not None else "this report"
            raise InputError(f"{name}= is an option of HTML pages of runs, not of {what}; leave it out")
        if "images" not in options:
            raise InputError(f"{name}= needs images=, the folder of the pictures")


class TableReport(Report[D]):
    """A report that is one table.

    Args:
        table: the table for programs.
        default: what Python returns by default.
        summary: the table for people; default: `table`.
        further: tables to show under it.
        data: JSON data; default: the rows.
        wide: see `Report`.
        page: returns the arguments of `thresher.reports.html.html_report`; default: a page of tables alone.
        page_sections: see `Report`.
    """

    def __init__(
        self,
        table: Table,
        default: D,
        *,
        summary: Table | None = None,
        further: Sequence[Table] = (),
        data: Any = None,
        wide: bool = False,
        page: Callable[[], dict[str, Any]] | None = None,
        page_sections: Sequence[str] | None = None,
    ) -> None:
        self._table, self._default, self._further = table, default, further
        self._summary = table if summary is None else summary
        self._data = data
        self.wide = wide
        self._page = page
        self.page_sections = None if page_sections is None else tuple(page_sections)

    @classmethod
    def of(cls, table: Table, **parts: Any) -> "TableReport[Table]":
        """Return the report whose default is the table itself."""
        return TableReport(table, table, **parts)

    def table(self) -> Table:  # noqa: D102
        return self._table

    def summary(self) -> Table:  # noqa: D102
        return self._summary

    def further_tables(self) -> Sequence[Table]:  # noqa: D102
        return self._further

    def data(self) -> Any:  # noqa: D102
        return list(self._table) if self._data is None else self._data

    def default(self) -> D:  # noqa: D102
        return self._default

    def page_arguments(self) -> dict[str, Any] | None:  # noqa: D102
        return None if self._page is None else self._page()
