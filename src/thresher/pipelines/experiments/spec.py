"""Options of an experiment, checked before anything is built."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.files.stores import is_url
from thresher.metrics import PositiveCount, check_option
from thresher.pipelines.answering import BLOCK
from thresher.surface import given


@dataclass(frozen=True)
class ExperimentSpec:
    """Options of an experiment; the arguments of `experiment` have the same names.

    Attributes:
        mapping: column of the questions -> socket; in Python, `read_dataset` takes it.
        folder: where the files of levels are; the folder of an experiment file.
    """

    pipeline: Any
    questions: Any
    mapping: Mapping[str, str] | None = None
    vary: Mapping[str, Any] | None = None
    exclude: Sequence[Any] = ()
    configurations: Any = None
    recipe: Any = None
    metrics: Any = None
    out: str | Path = Path("experiments/experiment")
    indexing: Any = None
    documents: Any = None
    index_parameter: str = "index"
    limit: int | None = None
    primary: Sequence[str] | None = None
    repeats: int = 1
    workers: int = 8
    block: int = BLOCK
    looks: int | None = None
    margin: float | None = None
    margins: Mapping[str, float] = field(default_factory=dict)
    question_to: Sequence[str] | None = None
    answer_from: str | None = None
    pipeline_inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    progress: bool = False
    trust: bool = False
    folder: Path = field(default_factory=Path)

    def __post_init__(self) -> None:
        for name in ("repeats", "workers", "block"):
            check_option(name, getattr(self, name), PositiveCount)
        check_option("limit", self.limit, PositiveCount | None)
        if self.looks is not None and self.repeats > 1:
            raise InputError(f"{given('looks', self.looks)}: ask each question once, without repeats")
        if self.looks is None and (self.margins or self.margin is not None):
            raise InputError("a margin is for looks: give looks too, or remove it")
        if not str(self.out):
            raise InputError(f"out={self.out!r} must be the path of a folder")
        if is_url(self.out):
            raise InputError("an experiment needs a folder as --out: its runs share a database of replies")
        if (self.recipe is None) == (self.metrics is None):
            raise InputError(
                "give one of recipe and metrics, which say what is measured: recipe='rag', or "
                "metrics=['token_f1', 'retrieval_recall'] (--recipe, --metrics)"
            )
        if (self.indexing is None) != (self.documents is None):
            stated, missing = (
                ("indexing", "documents") if self.documents is None else ("documents", "indexing")
            )
            raise InputError(f"{stated} needs {missing} too: the pipeline that indexes, and what it reads")
