import pytest

from judges.asked import flows
from judges.mock_batches import BatchServer
from judges.mock_server import Settings, running
from thresher.judges import BatchSettings, Limits, asking, configure, drive
from thresher.judges.engine.engine import engine

FAST = {"first_poll": 0.01, "last_poll": 0.05, "quiet": 0.03}


@pytest.fixture(scope="session")
def _batching():
    server = BatchServer()
    with running(server):
        yield server
        engine().close()


@pytest.fixture
def server(_batching):
    """The mock server of batches, as new."""
    configure()
    engine().close()
    _batching.drain()
    _batching.settings = Settings(retry_after=0.02)
    _batching.reset()
    return _batching


@pytest.fixture
def batched(judge, tmp_path):
    """Drive flows in batches; returns outcomes and the account."""

    def run(asked=None, source=None, *, limits=None, prices=None, max_calls=None, max_cost=None, **settings):
        batch = BatchSettings(**FAST | settings)
        budget = {"prices": prices, "max_calls": max_calls, "max_cost": max_cost}
        with asking(cache=tmp_path / "answers", limits=limits or Limits(), batch=batch, **budget) as account:
            outcomes = drive(flows(30) if asked is None else asked, source or judge())
        return outcomes, account

    return run
