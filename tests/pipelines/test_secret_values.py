"""A secret that a server repeats is in no file, log, report or traceback, wherever the user put it."""

import base64
import gzip
import http.server
import io
import json
import logging
import re
import threading
import traceback
import warnings
import zipfile
from urllib.parse import quote

import pyarrow.parquet as pq
import pytest
from haystack.components.embedders import OpenAITextEmbedder
from haystack.components.generators.chat.azure import AzureOpenAIChatGenerator
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.utils import Secret
from referencing.exceptions import Unresolvable

import processes
from thresher import evaluate
from thresher.cli import main
from thresher.components import SemanticSimilarityEvaluator, ValorCoherenceEvaluator
from thresher.judges import asking
from thresher.judges.recorded import Recording
from thresher.known_secrets import fingerprint
from thresher.results.secret_values import remember_secrets_of

DATA = {"response": ["a", "b"], "reference": ["a", "c"]}
FORMATS = {"html": "html", "json": "json", "csv": "csv", "markdown": "md", "latex": "tex", "excel": "xlsx"}


class Echo(http.server.BaseHTTPRequestHandler):
    """Repeats the request in its error: unchanged, in JSON, in a URL, in base64, and decoded."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        got = "\n".join([self.path, body, *(f"{name}: {value}" for name, value in self.headers.items())])
        for pair in re.findall(r"Basic (\S+)", got):
            got += base64.b64decode(pair).decode()
        self.server.got.append(got)
        place = max(got.find("Mark"), 0)  # a reason ends after some hundred characters
        shown = got[max(place - 9, 0) : place + 40]
        pairs = [base64.b64encode(f"me:{word}".encode()).decode() for word in shown.split()]
        text = f"rejected: {shown} {quote(shown)} {json.dumps(json.dumps(shown))} {pairs}"
        answer = {"role": "assistant", "content": json.dumps({"reason": text, "rating": 4})}
        reply = {"id": "1", "model": "m", "created": 1, "object": "chat.completion", "usage": None}
        reply["choices"] = [{"index": 0, "finish_reason": "stop", "message": answer}]
        error = {"error": {"message": text, "code": "bad"}}
        message = json.dumps(reply if self.server.status == 200 else error).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("X-Debug", json.dumps(shown))  # clients write headers to their logs
        self.send_header("Content-Length", str(len(message)))
        self.end_headers()
        self.wfile.write(message)

    def log_message(self, *_):
        pass


@pytest.fixture(params=[400, 401])
def server(request):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.got, server.status = [], request.param
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def chat(url, *, key=None, **options):
    return ValorCoherenceEvaluator(
        OpenAIChatGenerator(
            key or Secret.from_token("unused"), "m", api_base_url=url, max_retries=0, **options
        )
    )


def from_environment(url, marker, patch):
    patch.setenv("JUDGE_KEY", marker)
    return chat(url, key=Secret.from_env_var("JUDGE_KEY"))


def in_settings(**settings):
    return lambda url, marker, _: chat(
        url, generation_kwargs=json.loads(json.dumps(settings).replace("MARKER", marker))
    )


def in_basic(url, marker, _):
    pair = base64.b64encode(f"me:{marker}".encode()).decode()
    return chat(url, generation_kwargs={"extra_headers": {"Authorization": f"Basic {pair}"}})


PLACES = {
    "environment": from_environment,
    "token": lambda url, marker, _: chat(url, key=Secret.from_token(marker)),
    "bearer header": in_settings(extra_headers={"Authorization": "Bearer MARKER"}),
    "basic header": in_basic,
    "key header": in_settings(extra_headers={"X-Api-Key": "MARKER"}),
    "query": in_settings(extra_query={"code": "MARKER"}),
    "api_key in the body": in_settings(extra_body={"api_key": "MARKER"}),
    "nested in the body": in_settings(extra_body={"gateway": {"routes": [{"client_secret": "MARKER"}]}}),
    "client's header": lambda url, marker, _: chat(
        url, http_client_kwargs={"headers": {"Cookie": f"s={marker}"}}
    ),
    "default_headers": lambda url, marker, _: ValorCoherenceEvaluator(
        AzureOpenAIChatGenerator(
            azure_endpoint=url.removesuffix("/v1"),
            azure_deployment="m",
            api_key=Secret.from_token("unused"),
            default_headers={"X-Gateway-Key": marker},
            max_retries=0,
        )
    ),
    "user of the URL": lambda url, marker, _: chat(url.replace("//", f"//me:{quote(marker, safe='')}@")),
    "query of the URL": lambda url, marker, _: chat(f"{url}?u={quote(marker, safe='')}"),
    "path of the URL": lambda url, marker, _: chat(f"{url}/sk-{quote(marker, safe='')}"),
    "embedder": lambda url, marker, _: SemanticSimilarityEvaluator(
        embedder=OpenAITextEmbedder(api_key=Secret.from_token(marker), api_base_url=url, max_retries=0)
    ),
}
"""Place where a user can put a secret -> a metric with the marker in it."""


def texts_of(path):
    """The content of a file, unpacked at all levels."""
    data = path.read_bytes()
    yield data
    if path.suffix == ".xlsx":
        book = zipfile.ZipFile(io.BytesIO(data))
        yield from (book.read(name) for name in book.namelist())
    if path.suffix == ".gz":
        yield gzip.decompress(data)
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        yield repr((table.to_pylist(), table.schema.metadata)).encode()
    if path.suffix == ".html":
        yield from (
            gzip.decompress(base64.b64decode(part)) for part in re.findall(rb">(H4sI[\w+/=]+)<", data)
        )


def leaks(marker, folder, *printed):
    files = [
        str(path)
        for path in folder.rglob("*")
        if path.is_file() and any(spelt(marker, t) for t in texts_of(path))
    ]
    return files + [text for text in printed if spelt(marker, text.encode())]


def spelt(marker, data):
    """Whether bytes contain the marker, unchanged or in the spelling of JSON, URLs or base64."""
    core = re.compile(re.escape(marker[:12]).encode())  # without its last characters, which encodings change
    decoded = [data]
    for run in re.findall(rb"[\w+/-]{16,}", data):
        for cut in range(4):
            piece = run[cut : cut + (len(run) - cut) // 4 * 4]
            try:
                decoded.append(base64.b64decode(piece, validate=True))
            except ValueError:
                continue
    return any(core.search(text) for text in decoded)


def test_markers_are_noticed():
    marker = 'Mark7"x+/Mark&'
    pair = base64.b64encode(f"user:{marker}".encode())
    assert spelt(marker, b'a Mark7"x+/Mark& b')
    assert spelt(marker, b"Basic " + pair)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_a_secret_that_the_server_repeats_is_nowhere(server, tmp_path, monkeypatch, capsys, place):
    marker = f"Mark{list(PLACES).index(place):04}k+/{'Mark' * 3}"
    url = f"http://127.0.0.1:{server.server_port}/v1"
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    root = logging.getLogger()
    monkeypatch.setattr(root, "level", logging.DEBUG)
    root.addHandler(handler)
    raised = ""
    try:
        with warnings.catch_warnings(), asking(cache=tmp_path / "answers.sqlite"):
            warnings.simplefilter("ignore")
            metric = PLACES[place](url, marker, monkeypatch)
            evaluate([metric], DATA, out=tmp_path / "run")
    except Exception:  # noqa: BLE001
        raised = traceback.format_exc()
    finally:
        root.removeHandler(handler)
    assert any(marker in got or quote(marker, safe="") in got for got in server.got)
    for form, suffix in FORMATS.items():
        main(["report", str(tmp_path / "run"), "--format", form, "-o", str(tmp_path / f"report.{suffix}")])
        main(
            [
                "report",
                str(tmp_path / "run"),
                "--detailed",
                "--format",
                form,
                "-o",
                str(tmp_path / f"all.{suffix}"),
            ]
        )
    main(["report", str(tmp_path / "run")])
    assert leaks(marker, tmp_path, log.getvalue(), raised, *capsys.readouterr()) == []


@pytest.mark.parametrize("server", [200], indirect=True)
def test_a_reply_that_repeats_a_secret_is_stored_without_it(server, tmp_path):
    marker = "Mark0002k+/MarkMark"
    metric = chat(f"http://127.0.0.1:{server.server_port}/v1", key=Secret.from_token(marker))
    recording = Recording("m")
    with asking(cache=tmp_path / "answers.sqlite", listener=recording.keep):
        results = evaluate([metric], DATA, out=tmp_path / "run")
    recording.save(tmp_path / "answers.json.gz")
    assert results.metrics["valor_coherence"].value == 4
    (reply,) = {entry["reply"] for entry in recording.entries.values()}
    assert fingerprint(marker) in reply
    assert leaks(marker, tmp_path, repr(recording.entries)) == []


def test_the_command_line_shows_no_secret(server, tmp_path, monkeypatch, capsys):
    marker = "Mark0001k+/MarkMark"
    monkeypatch.setenv("GATEWAY_KEY", marker)
    (tmp_path / "d.jsonl").write_text(json.dumps({"response": "a"}) + "\n")
    words = [
        "run",
        "safety",
        "--data",
        str(tmp_path / "d.jsonl"),
        "--out",
        str(tmp_path / "run"),
        "--judge-model",
        "m",
    ]
    words += ["--judge-url", f"http://127.0.0.1:{server.server_port}/v1", "--judge-key", "GATEWAY_KEY"]
    assert main(words) == 3
    shown = "".join(capsys.readouterr())
    assert fingerprint(marker) in shown
    assert leaks(marker, tmp_path, shown) == []


TESTED = """
import pytest
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.utils import Secret
from thresher import evaluate
from thresher.components import ValorCoherenceEvaluator

@pytest.fixture(scope="module")
def results():
    key = Secret.from_env_var("JUDGE_KEY")
    judge = OpenAIChatGenerator(key, "m", api_base_url="URL", max_retries=0)
    return evaluate([ValorCoherenceEvaluator(judge)], {"response": ["a", "b"]}, out="run")

def test_gate(results, assert_evaluation):
    assert_evaluation(results, "valor_coherence>=0.8")
"""


@pytest.mark.slow
@pytest.mark.parametrize("server", [401], indirect=True)
def test_pytest_and_its_junit_report_show_no_secret(server, tmp_path, monkeypatch):
    marker = "Mark0005k+/MarkMark"
    monkeypatch.setenv("JUDGE_KEY", marker)
    url = f"http://127.0.0.1:{server.server_port}/v1"
    (tmp_path / "test_gates.py").write_text(TESTED.replace("URL", url), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\njunit_logging = all\nlog_level = DEBUG\n", encoding="utf-8"
    )
    code = "import sys, pytest\nsys.exit(pytest.main(sys.argv[1:]))"
    process = processes.run(code, "-rA", "--junitxml=junit.xml", "test_gates.py", folder=tmp_path)
    assert "1 failed" in process.stdout, process.stdout + process.stderr
    assert "valor_coherence" in (tmp_path / "junit.xml").read_text(encoding="utf-8")
    assert any(marker in got for got in server.got)
    assert fingerprint(marker) in process.stdout
    assert leaks(marker, tmp_path, process.stdout, process.stderr) == []


def test_loggers_and_tracebacks_that_appear_later_show_no_secret():
    marker = "Mark0003k+/MarkMark"
    remember_secrets_of(OpenAIChatGenerator(Secret.from_token(marker)))
    log = io.StringIO()
    logger = logging.getLogger("a.client.of.tomorrow")
    handler = logging.StreamHandler(log)
    logger.addHandler(handler)
    try:
        logger.error("sent %s", marker, exc_info=ValueError(f"rejected {marker}"))
        logger.error("sent", exc_info=Unresolvable(ref=f"rejected {marker}"))  # attrs froze it
    finally:
        logger.removeHandler(handler)
    assert log.getvalue().count(fingerprint(marker)) == 3
    assert marker not in log.getvalue()


def test_a_record_with_wrong_arguments_stays_as_it_is():
    remember_secrets_of(OpenAIChatGenerator(Secret.from_token("Mark0004k+/MarkMark")))
    make = logging.getLogRecordFactory()
    record = make("client", logging.ERROR, "file.py", 1, "sent %d", ("a text",), None)
    assert (record.msg, record.args) == ("sent %d", ("a text",))
