"""Several judges of one metric, and how their votes are pooled."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Self

from thresher.counted import counted
from thresher.errors import InputError
from thresher.judges.engine.identity import model_of
from thresher.judges.models import judge_named
from thresher.judges.panels.pooling import Rule, check_rule

_FEWEST = 2
_TIES = ("undefined", "unreadable", "first")


class JudgePanel:
    """Several judges that vote on every verdict and rating of a metric.

    A list of judges as `chat_generator` is a panel with the default settings. Extractions (statements,
    claims, opinions) are asked of one judge, so that all judges vote on the same subjects.

    ```python
    panel = JudgePanel(["gpt-5-mini", "gpt-4.1-mini", "recorded:replies.jsonl"], pool="majority")
    ValorFaithfulnessEvaluator(panel)
    ```

    Args:
        judges: at least two ChatGenerators, or names as `judge_named` takes them.
        pool: rule for verdicts: `majority` (more than half of the votes cast), `plurality` (most votes),
            `unanimous` (yes only if all say yes), `any` (yes if one says yes: the careful rule where yes is
            bad, as for toxicity) or `weighted`; or for ratings: `mean`, `median`, `min` or `max`. Verdicts
            are pooled by majority under a rule for ratings, ratings by their mean under a rule for verdicts;
            `weighted` applies to both.
        ties: what a tie between labels gives: `undefined` (the item has no score), `unreadable` (the item
            counts as not judged), `first` (the vote of the first judge that voted), or a label such as `no`.
        min_votes: fewest votes that give a verdict; default: more than half of the judges.
        weights: one weight per judge, in their order, for `weighted`; see `learnt_weights`.
        extractor: name of the judge that extracts; default: the first.

    Attributes:
        names: names of the judges: their models, numbered if several judges have the same.

    Raises:
        InputError: for fewer than two judges, or a setting that does not fit them.
    """

    def __init__(
        self,
        judges: Sequence[Any],
        *,
        pool: Rule = "majority",
        ties: str = "undefined",
        min_votes: int | None = None,
        weights: Sequence[float] | None = None,
        extractor: str | None = None,
    ) -> None:
        self.judges = [judge_named(judge) if isinstance(judge, str) else judge for judge in judges]
        if len(self.judges) < _FEWEST:
            raise InputError(f"a panel needs at least two judges; given: {len(self.judges)}")
        check_rule(pool)
        self.names = _names(self.judges)
        self.pool: Rule = pool
        self.ties = ties
        self.min_votes = len(self.judges) // 2 + 1 if min_votes is None else min_votes
        self.weights = None if weights is None else [float(weight) for weight in weights]
        self.extractor = self.names[0] if extractor is None else extractor
        self._check()

    @classmethod
    def of(cls, source: Any) -> Self | None:
        """Return the panel that a metric's `chat_generator` is or describes; None for a single judge."""
        if isinstance(source, list | tuple):
            return cls(source)
        return source if isinstance(source, cls) else None

    @property
    def lead(self) -> int:
        """Position of the judge that extracts."""
        return self.names.index(self.extractor)

    def shares(self) -> list[float]:
        """One weight per judge."""
        return [1.0] * len(self.judges) if self.weights is None else self.weights

    def settings(self) -> dict[str, Any]:
        """The settings that affect scores, for the signature; judges are sorted by name."""
        weighted = zip(self.names, self.shares(), strict=True)
        judges = sorted(f"{name}*{weight:g}" if self.weights else name for name, weight in weighted)
        first = {"first": self.names[0]} if self.ties == "first" else {}
        return {
            "judge": judges,
            "pool": self.pool,
            "ties": self.ties,
            "min_votes": self.min_votes,
            "extractor": self.extractor,
            **first,
        }

    def replaced(self, judges: Sequence[Any]) -> Self:
        """A panel of other judges, as many, with the same settings."""
        return type(self)(
            judges,
            pool=self.pool,
            ties=self.ties,
            min_votes=self.min_votes,
            weights=self.weights,
            extractor=_names(judges)[self.lead],
        )

    def to_dict(self) -> dict[str, Any]:
        """The panel as pipeline files store it.

        Raises:
            SerializationError: if a judge cannot be stored.
        """
        from haystack import default_to_dict
        from haystack.core.serialization import component_to_dict

        return default_to_dict(
            self,
            judges=[component_to_dict(judge, "judge") for judge in self.judges],
            pool=self.pool,
            ties=self.ties,
            min_votes=self.min_votes,
            weights=self.weights,
            extractor=self.extractor,
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`; judges may also be names."""
        parameters = dict(data.get("init_parameters", {}))
        judges = [judge if isinstance(judge, str) else _loaded(judge) for judge in parameters.pop("judges")]
        return cls(judges, **parameters)

    def _check(self) -> None:
        judges = len(self.judges)
        if not self.ties:
            raise InputError(f"ties='' must be one of {', '.join(_TIES)}, or a label")
        if isinstance(self.min_votes, bool) or self.min_votes not in range(1, judges + 1):
            raise InputError(f"min_votes={self.min_votes!r} must be a whole number from 1 to {judges}")
        if self.extractor not in self.names:
            raise InputError(f"extractor={self.extractor!r} must be one of {', '.join(self.names)}")
        if (self.weights is None) == (self.pool == "weighted"):
            raise InputError("pool='weighted' needs weights, one per judge; no other rule uses them")
        usable = self.weights is None or (
            len(self.weights) == judges
            and all(0 <= weight < math.inf for weight in self.weights)
            and any(self.weights)
        )
        if not usable:
            raise InputError(
                f"weights={self.weights} must be {counted(judges, 'number')} of at least 0, not all 0"
            )


def judges_of(source: Any) -> list[Any]:
    """Return the judges of a metric's `chat_generator`: those of a panel, or the only one."""
    panel = JudgePanel.of(source)
    return [source] if panel is None else panel.judges


def extractor_of(source: Any) -> Any:
    """Return the judge that extracts for a metric's `chat_generator`: that of a panel, or the only one."""
    panel = JudgePanel.of(source)
    return source if panel is None else panel.judges[panel.lead]


def _names(judges: Sequence[Any]) -> list[str]:
    models = [model_of(judge) for judge in judges]
    shared, seen = Counter(models), Counter[str]()
    names = []
    for model in models:
        seen[model] += 1
        names.append(f"{model} ({seen[model]})" if shared[model] > 1 else model)
    return names


def _loaded(data: Mapping[str, Any]) -> Any:
    from haystack.core.serialization import default_from_dict, import_class_by_name

    kind = import_class_by_name(data["type"])
    return kind.from_dict(data) if hasattr(kind, "from_dict") else default_from_dict(kind, dict(data))
