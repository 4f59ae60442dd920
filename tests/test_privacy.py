"""A process that evaluates connects to its judge and to nothing else, and starts no program."""

import json
import os
import subprocess
import sys

import pytest

from judges.mock_server import MockServer, running

WATCHED = """
import atexit, json, sys
attempts = []
# Registered first, called last: after Haystack has sent what it holds.
atexit.register(lambda: print(json.dumps(attempts)))

def watch(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect", "socket.sendto"):
        host = arguments[1][0] if event in ("socket.connect", "socket.sendto") else arguments[0]
        attempts.append([event, str(host)])
        if str(host) not in ("127.0.0.1", "localhost"):
            raise OSError("this process may not reach " + str(host))
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork"):
        attempts.append([event, str(arguments)])

sys.addaudithook(watch)
"""
EVALUATION = """
{first}
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.utils import Secret
from thresher import evaluate
from thresher.components import NvidiaContextRelevanceEvaluator

rows = [{{"question": "q", "response": "Paris", "reference": "Paris", "contexts": ["c"]}}]
evaluate("qa", rows)
print(json.dumps(attempts))
if {url!r}:
    judge = OpenAIChatGenerator(Secret.from_token("x"), "m", api_base_url={url!r})
    print(evaluate([NvidiaContextRelevanceEvaluator(judge)], rows).individual_aggregate_score_report())
"""


def attempts(tmp_path, first="import thresher", url="", telemetry=None):
    """What a process tried to reach: before a judge was asked, and until its end."""
    unset = {"HAYSTACK_TELEMETRY_ENABLED", "HAYSTACK_DESERIALIZATION_ALLOWLIST"}
    clean = {name: value for name, value in os.environ.items() if name not in unset} | {"HOME": str(tmp_path)}
    if telemetry is not None:
        clean["HAYSTACK_TELEMETRY_ENABLED"] = telemetry
    code = WATCHED + EVALUATION.format(first=first, url=url)
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=clean, capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()
    return json.loads(lines[0]), json.loads(lines[-1])


@pytest.mark.slow
def test_an_evaluation_reaches_its_judge_alone_and_without_one_nothing(tmp_path):
    with running(MockServer(replies=[lambda _: "2"])) as url:
        without_judge, with_judge = attempts(tmp_path, url=url)
    assert without_judge == []
    # OpenAI's client asks the system for its name, for a header.
    assert {host for event, host in with_judge if event.startswith("socket")} == {"127.0.0.1"}
    assert not (tmp_path / ".haystack").exists()


@pytest.mark.slow
def test_nothing_is_reached_if_haystack_is_imported_first(tmp_path):
    assert attempts(tmp_path, "import haystack") == ([], [])


@pytest.mark.slow
def test_a_user_may_switch_haystacks_telemetry_on_and_then_the_test_sees_it(tmp_path):
    _, at_the_end = attempts(tmp_path, telemetry="True")
    assert any("posthog" in host for _, host in at_the_end)
