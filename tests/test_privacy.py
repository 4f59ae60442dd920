"""A process that evaluates connects to its judge and to nothing else, whatever is imported first."""

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
if {url!r}:
    judge = OpenAIChatGenerator(Secret.from_token("x"), "m", api_base_url={url!r})
    print(evaluate([NvidiaContextRelevanceEvaluator(judge)], rows).individual_aggregate_score_report())
"""


def attempts(tmp_path, first="import thresher", url="", telemetry=None):
    unset = {"HAYSTACK_TELEMETRY_ENABLED", "HAYSTACK_DESERIALIZATION_ALLOWLIST"}
    clean = {name: value for name, value in os.environ.items() if name not in unset} | {"HOME": str(tmp_path)}
    if telemetry is not None:
        clean["HAYSTACK_TELEMETRY_ENABLED"] = telemetry
    code = WATCHED + EVALUATION.format(first=first, url=url)
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=clean, capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout.splitlines()[-1])


@pytest.mark.parametrize("first", ["import thresher", "import haystack"])
def test_an_evaluation_without_a_judge_reaches_nobody(first, tmp_path):
    assert attempts(tmp_path, first) == []
    assert not (tmp_path / ".haystack").exists() or first == "import haystack"


def test_an_evaluation_with_a_judge_reaches_the_judge_alone(tmp_path):
    with running(MockServer(replies=[lambda _: "2"])) as url:
        hosts = {host for _, host in attempts(tmp_path, url=url)}
    assert hosts == {"127.0.0.1"}


def test_a_user_may_switch_haystacks_telemetry_on_and_then_the_test_sees_it(tmp_path):
    assert any("posthog" in host for _, host in attempts(tmp_path, telemetry="True"))
