import pytest

from judges.mock_server import MockServer, Settings, running
from thresher.judges import configure
from thresher.judges.engine.engine import engine


@pytest.fixture(scope="session")
def _listening():
    server = MockServer()
    with running(server):
        yield server
        engine().close()


@pytest.fixture
def server(_listening):
    """The mock server, as new; and an engine that knows no answers.

    What the test before has left under way ends first. Requests that it sent and nobody waits for any more
    are on their way even so: the server must have them before its counts start anew.
    """
    configure()
    engine().close()
    _listening.drain()
    _listening.settings = Settings(retry_after=0.02)
    _listening.reset()
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
