"""Short names of the metrics, and the classes behind them."""

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from thresher.components._aliases import ALIASES
from thresher.components._table import MODULES
from thresher.errors import InputError
from thresher.results.suggestions import suggest


def metric_names() -> list[str]:
    """Short names of all metrics, in alphabetical order."""
    return sorted(map(_short_name, MODULES))


def metric_name(name: str) -> str:
    """Return the short name of a metric, which its results and files carry.

    Args:
        name: the short name, the name of the component, or another name of the metric: of Haystack's
            proposal (`single_hit`), of Valor, ragas, LlamaIndex or trec_eval, or of its measure.

    Raises:
        InputError: for an unknown name, and for one that several metrics have; says which were meant.

    >>> metric_name("token_f1"), metric_name("RougeEvaluator"), metric_name("single_hit")
    ('token_f1', 'rouge', 'hit_rate')
    """
    known = {_short_name(class_name): class_name for class_name in MODULES}
    if name in known:
        return name
    if name in MODULES:
        return _short_name(name)
    meanings = ALIASES.get(name, ())
    if len(meanings) == 1:
        return meanings[0]
    if meanings:
        raise InputError(f"{name!r} is the name of several metrics; choose one of {', '.join(meanings)}")
    likely = _meant(name, known)
    raise InputError(f"no metric is called {name!r}{likely}; `thresher list` and metric_names() name all")


def metric_class(name: str) -> type[Any]:
    """The component class of a metric.

    Args:
        name: short name, e.g. `token_f1`, or another one that `metric_name` knows.

    Raises:
        InputError: for an unknown name, and for one that several metrics have; says which were meant.
    """
    own = metric_name(name)
    class_name = next(each for each in MODULES if _short_name(each) == own)
    found: type[Any] = getattr(import_module(f"thresher.components.{MODULES[class_name]}"), class_name)
    return found


def _meant(name: str, known: Iterable[str]) -> str:
    """Which metrics an unknown name may mean: those that end with it, else those that resemble it."""
    ends = [each for each in known if name and each.endswith(f"_{name}")]
    if ends:
        return f" (did you mean {' or '.join(map(repr, ends[:4]))}?)"
    return suggest(name, [*known, *ALIASES])


def _short_name(class_name: str) -> str:
    """RougeEvaluator -> rouge, TokenF1Evaluator -> token_f1."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name.removesuffix("Evaluator")).lower()
