import pytest

from judges.mock_server import MockServer, running
from thresher.judges import configure
from thresher.judges.engine.engine import engine


@pytest.fixture(scope="session")
def _listening():
    server = MockServer()
    with running(server) as url:
        server.url = url
        yield server
        engine().close()


@pytest.fixture
def server(_listening):
    """The mock server, as new; and an engine that knows no answers."""
    _listening.reset(
        base_ms=0.0, per_token_ms=0.0, faults={}, sticky=False, retry_after=0.02, hang_s=60.0, refuses=()
    )
    configure()
    return _listening


@pytest.fixture
def judge(server):
    """Makes a judge that the mock server answers for."""
    from haystack.components.generators.chat.openai import OpenAIChatGenerator
    from haystack.utils import Secret

    def made(**options):
        settings = {"model": "mock", "api_base_url": server.url, "generation_kwargs": {"temperature": 0}}
        return OpenAIChatGenerator(api_key=Secret.from_token("none"), **(settings | options))

    return made
