"""Short names of the metrics, and the classes behind them."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from thresher.components._aliases import ALIASES
from thresher.components._table import MODULES
from thresher.errors import InputError
from thresher.metrics.registry import ExternalMetric, external_metrics, short_name
from thresher.results.short_names import without_family
from thresher.results.suggestions import suggest
from thresher.surface import option


def metric_names() -> list[str]:
    """Short names of all metrics: built-in, of installed packages, and of imported modules."""
    return sorted([*built_in_names(), *others()])


def built_in_names() -> list[str]:
    """Short names of the metrics of this package."""
    return sorted(map(short_name, MODULES))


def others() -> dict[str, ExternalMetric]:
    """Name -> metric of another package, qualified (`package:name`) if a metric here has the name."""
    return external_metrics({*MODULES, *map(short_name, MODULES), *ALIASES})


def metric_name(name: str) -> str:
    """Return the short name of a metric, which results and files contain.

    Args:
        name: the short name, also without its family (`ndcg`), the name of the component, or another name of
            the metric: of Haystack's proposal (`single_hit`), of Valor, ragas, LlamaIndex or trec_eval.

    Raises:
        InputError: for an unknown name, and for one of several metrics; lists the candidates.

    >>> metric_name("token_f1"), metric_name("RougeEvaluator"), metric_name("single_hit")
    ('token_f1', 'rouge', 'retrieval_hit_rate')
    """
    meant = meanings(name)
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise InputError(f"{name!r} is the name of several metrics; choose one of {', '.join(meant)}")
    likely = _meant(name, [*built_in_names(), *others()])
    remedy = option("`thresher list` names all", "`thresher list` and metric_names() name all")
    raise InputError(f"no metric is called {name!r}{likely}; {remedy}")


def metric_class(name: str) -> type[Any]:
    """The component class of a metric.

    Args:
        name: short name, e.g. `token_f1`, or another one that `metric_name` knows.

    Raises:
        InputError: for an unknown name, and for one of several metrics; lists the candidates.
    """
    own = metric_name(name)
    if own not in built_in_names():
        return others()[own].cls
    class_name = next(known for known in MODULES if short_name(known) == own)
    cls: type[Any] = getattr(import_module(f"thresher.components.{MODULES[class_name]}"), class_name)
    return cls


def meanings(name: str) -> tuple[str, ...]:
    """Short names of the metrics that a name in any form may mean; empty for an unknown one."""
    built_in = built_in_names()
    if name in built_in:
        return (name,)
    if name in MODULES:
        return (short_name(name),)
    return ALIASES.get(name, ()) or _of_others(name) or without_family(name, built_in)


def _of_others(name: str) -> tuple[str, ...]:
    """Names of the metrics of other packages with a name: short, qualified, or of the class."""
    return tuple(
        known
        for known, metric in others().items()
        if name in (known, metric.name, metric.qualified, metric.cls.__name__)
    )


def _meant(name: str, known: Iterable[str]) -> str:
    """Which metrics an unknown name may mean: those that end with it, else those that resemble it."""
    ends = [longer for longer in known if name and longer.endswith(f"_{name}")]
    if ends:
        return f" (did you mean {' or '.join(map(repr, ends[:4]))}?)"
    return suggest(name, with_aliases(known))


def with_aliases(known: Iterable[str]) -> list[str]:
    """Names and aliases to suggest; without `BLEU` beside `bleu`."""
    names = list(known)
    return [*names, *(alias for alias in ALIASES if alias.casefold() not in names)]
