import inspect
from typing import Any

import pytest

from thresher.components import metric_class, metric_names

ASKING = [name for name in metric_names() if hasattr(metric_class(name), "run_async")]


def test_there_are_metrics_that_ask():
    assert len(ASKING) > 30


@pytest.mark.parametrize("name", ASKING)
def test_what_is_seen_of_run_and_run_async_is_what_they_are(name):
    kind = metric_class(name)
    seen = inspect.signature(kind.run)
    assert seen == inspect.signature(kind.run_async)
    assert seen.return_annotation == kind.run.__annotations__["return"] == dict[str, Any]
    assert "Returns:" in kind.run.__doc__
    assert kind.run_async.__qualname__ == f"{kind.__name__}.run_async"
    assert inspect.iscoroutinefunction(kind.run_async)
    assert not inspect.iscoroutinefunction(kind.run)
    assert "without blocking the event loop" in kind.run_async.__doc__
