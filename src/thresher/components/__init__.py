"""Haystack components, one metric each.

A metric's short name is its class name in snake case without `Evaluator`. `scripts/write_components.py` lists
the metrics in `_table.py`; the command line, the catalogue and the laws follow from it.
"""

from thresher.components._families import exports
from thresher.components._short_paths import register
from thresher.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, exports())
register(__name__, exports())
