"""Keys that a server repeats in every field, in many forms, are in no file and no output."""

import base64
import gzip
import html
import json
import re
import sqlite3
import warnings
import zipfile
from pathlib import Path
from urllib.parse import quote

import pyarrow.parquet as pq
import pytest
import yaml

import thresher
from judges.mock_server import MockServer, running
from thresher.cli import main
from thresher.cli.parser import parser
from thresher.components import ValorCoherenceEvaluator

KEY = 'Zq7cAnary/9x+W"r&4Kp'
USER, PATH, QUERY, HEADER = "uS3rC4naryPw", "p4thC4naryTok99", "qu3ryC4naryVal", "h3aderC4naryX"
ALL = (KEY, USER, PATH, QUERY, HEADER)
OWN = ("judged.yaml", "rag.yaml", "d.jsonl")  # of the user
MIXED = "abcKEY12345xyz"


PIECES = [KEY[at : at + 3] for at in range(0, len(KEY), 3)]


def in_token(text):
    return {"token": text, "logprob": -0.1, "bytes": list(text.encode())}


def in_base64(text):
    return base64.b64encode(text.encode()).decode()


FORMS = {
    "plain": lambda key: key,
    "scheme": lambda key: f"Bearer {key}",
    "lower": str.lower,
    "upper": str.upper,
    "lines": lambda key: f"{key[:5]}\n{key[5:11]}\r\n {key[11:]}",
    "spaced": " ".join,
    "base64": in_base64,
    "pair": lambda key: in_base64(f"user:{key}"),
    "hex": lambda key: key.encode().hex(),
    "url": lambda key: quote(key, safe=""),
    "html": html.escape,
    "json": lambda key: json.dumps(json.dumps(key)),
    "small": lambda key: re.sub("%..", lambda match: match[0].lower(), quote(key, safe="")),
    "entities": lambda key: "".join(f"&#{ord(letter)};" for letter in key),
    "points": lambda key: "".join(f"\\u{ord(letter):04x}" for letter in key),
    "unseen": "\u200b".join,
    "dashes": "-".join,
    "hex with signs": lambda key: key.encode().hex(":"),
    "decimals": lambda key: str(list(key.encode())),
}


def repeated(headers):
    """One text with every key of a request in every form."""
    whole = " ".join([*headers.values(), in_plain(headers.get("authorization", ""))])
    keys = [key for key in ALL if key in whole]
    return " | ".join(form(key) for key in keys for form in FORMS.values())


def in_plain(authorization):
    scheme, _, value = authorization.partition(" ")
    return base64.b64decode(value).decode() if scheme == "Basic" else ""


class Echo(MockServer):
    """Replies that repeat the keys in every field; also errors, if `status` is one."""

    status = 200

    async def _completion(self, request, body):
        status, headers, whole = await super()._completion(request, body)
        text = repeated(self.headers[-1])
        if self.status != 200:
            return (
                self.status,
                {"X-Echo": quote(text)},
                {"error": {"message": text, "code": text, "type": text}},
            )
        whole |= {"model": text, "id": text, "system_fingerprint": text}
        for choice in whole["choices"]:
            tokens = [token | {"top_logprobs": [token]} for token in map(in_token, PIECES)]
            tokens.append({"token": text, "logprob": -0.1, "top_logprobs": [{"token": text, "logprob": -1}]})
            choice |= {"finish_reason": text, "logprobs": {"content": tokens}}
        return status, headers, whole

    def _reply(self, *_):
        text = repeated(self.headers[-1])
        return json.dumps({"reason": text, "rating": 4, "verdict": "yes", text: text})


@pytest.fixture
def server():
    mock = Echo()
    with running(mock):
        yield mock


def address(server, user=f"me:{USER}@"):
    place = server.url.removesuffix("/v1").replace("://", f"://{user}")
    return f"{place}/v1/{PATH}?code={QUERY}"


def letters(text):
    return "".join(text.split()).casefold()


def leaks(text):
    """Pieces of a key, in any of its forms, that a text holds."""
    squeezed = letters(text)
    pieces = {letters(form(key)) for key in (*ALL, MIXED) for form in FORMS.values()}
    whole = {piece for piece in pieces if piece in squeezed}
    if any(f'"{PIECES[0]}"' in text and f'"{piece}"' in text for piece in PIECES[1:]):
        whole.add("pieces")
    if all(str(list(piece.encode()))[1:-1] in text for piece in PIECES):
        whole.add("bytes")
    return whole | {
        key for key in (*ALL, MIXED) for at in range(len(key) - 9) if letters(key[at : at + 10]) in squeezed
    }


def texts_in(path):
    """All that a file says, however it is packed."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:  # a journal of SQLite, which another thread has closed
        return
    yield content.decode("utf-8", "replace")
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        yield f"{table.to_pydict()} {pq.read_metadata(path).metadata} {table.schema}"
    if content[:2] == b"\x1f\x8b":
        yield gzip.decompress(content).decode()
    if content[:2] == b"PK":
        with zipfile.ZipFile(path) as archive:
            yield from (archive.read(name).decode("utf-8", "replace") for name in archive.namelist())
    if content.startswith(b"SQLite format 3"):
        with sqlite3.connect(path) as file:
            yield from file.iterdump()
    for packed in re.findall(rb"H4sI[A-Za-z0-9+/=]{40,}", content):
        yield gzip.decompress(base64.b64decode(packed)).decode()


def assert_clean(folder, capsys):
    out = "".join(capsys.readouterr())
    assert not leaks(out), out[:2000]
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in OWN]
    found = {str(path): kinds for path in files for text in texts_in(path) if (kinds := leaks(text))}
    assert not found, found
    return out, files


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CANARY_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path / "cache"))
    rows = [
        {
            "id": f"q{n}",
            "question": f"Question {n}?",
            "response": f"Answer {n}",
            "reference": "x",
            "kind": "ab"[n % 2],
            "good": n % 2,
        }
        for n in range(12)
    ]
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def call(*words, code=0):
    assert main([str(word) for word in words]) == code, words


def write_pipeline(server):
    built = yaml.safe_load(thresher.build([ValorCoherenceEvaluator()]).dumps())
    (component,) = (part for part in built["components"].values() if "Coherence" in part["type"])
    secret = {"type": "env_var", "env_vars": ["CANARY_KEY"], "strict": True}
    options = {
        "model": "m",
        "api_key": secret,
        "api_base_url": address(server, user=""),
        "generation_kwargs": {"extra_headers": {"X-Api-Key": HEADER}, "logprobs": True},
    }
    judge = {
        "type": "haystack.components.generators.chat.openai.OpenAIChatGenerator",
        "init_parameters": options,
    }
    component["init_parameters"]["chat_generator"] = judge
    Path("judged.yaml").write_text(yaml.safe_dump(built))


def write_rag(metric):
    judge = yaml.safe_load(Path("judged.yaml").read_text())
    Path("rag.yaml").write_text(
        yaml.safe_dump(
            {
                "components": {
                    "prompt": {
                        "type": "haystack.components.builders.chat_prompt_builder.ChatPromptBuilder",
                        "init_parameters": {
                            "required_variables": "*",
                            "template": [
                                {
                                    "role": "user",
                                    "meta": {},
                                    "name": None,
                                    "content": [{"text": "{{ question }}"}],
                                }
                            ],
                        },
                    },
                    "llm": judge["components"][metric]["init_parameters"]["chat_generator"],
                },
                "connections": [{"sender": "prompt.prompt", "receiver": "llm.messages"}],
            }
        )
    )


EXPERIMENT = ("experiment", "rag.yaml", "--questions", "d.jsonl", "--vary", "llm.model=m,n")
EXPERIMENT = (*EXPERIMENT, "--metrics", "exact_match", "--trust", "--out", "ex")


def test_no_key_is_in_stored_replies_of_a_query_pipeline(server, place, capsys):
    write_pipeline(server)
    write_rag("valor_coherence")
    call(*EXPERIMENT)
    _, files = assert_clean(place, capsys)
    (replies,) = (path for path in files if path.name == "replies.sqlite")
    assert any("logprob" in text for text in texts_in(replies))


@pytest.mark.slow
def test_no_key_is_in_a_file_or_an_output_of_any_command(server, place, capsys):
    write_pipeline(server)
    metric, judge = (
        "valor_coherence",
        ("--judge-model", "m", "--judge-url", address(server), "--judge-key", "CANARY_KEY"),
    )
    judge = (*judge, "--judge-option", "logprobs=true")
    for name in ("a", "b"):
        call(
            "run", "judged.yaml", "--data", "d.jsonl", "--name", name, "--trust", "--cache", f"{name}.sqlite"
        )
    call(
        "run", "judged.yaml", "--data", "d.jsonl", "--name", "a", "--trust", "--cache", "a.sqlite"
    )  # continued
    spread = ("--workers", "2", "--chunk-size", "4", "--cache", "w.sqlite")
    call("run", "judged.yaml", "--data", "d.jsonl", "--name", "w", "--trust", *spread)
    call(
        "run", "safety", "--data", "d.jsonl", "--name", "c", *judge, "--cache", "c.sqlite", code=3
    )  # unreadable
    assert server.calls >= 24
    sent = [head for head in server.headers if PATH in head[":path"]]
    assert any(KEY in head.get("authorization", "") for head in sent)
    assert {head.get("x-api-key") for head in sent} >= {HEADER}
    used = {"run"}

    def check(*words, code=0):
        used.add(words[0])
        call(*words, code=code)
        assert_clean(place, capsys)

    assert_clean(place, capsys)
    check("estimate", "judged.yaml", "--data", "d.jsonl", "--trust")
    for form in ("table", "csv", "json", "markdown", "html", "latex", "excel"):
        check(
            "report",
            "runs/a",
            "--detailed",
            "--format",
            form,
            "-o",
            f"report.{form if form != 'excel' else 'xlsx'}",
        )
    check("report", "runs/a", "--slice", "kind")
    check("report", "runs/a", "--verbose")
    check("compare", "runs/a", "runs/b", "--format", "html", "-o", "compare.html")
    check("compare", "runs/a", "runs/b", "--format", "json")
    check("leaderboard", "runs/a", "runs/b", "--format", "json", "-o", "leaderboard.json")
    check("thresholds", "runs/a", "--metric", metric, "--label", "good")
    for form in ("jsonl", "csv", "parquet"):
        check("export", "runs/a", "-o", f"all.{form}")
    check("inputs-below", "runs/a", "--metric", metric, "--threshold", "5", "-o", "low.jsonl")
    check("inputs-below", "runs/a", "--metric", metric, "--threshold", "5")
    check("gate", "runs/a", "--require", f"{metric}>=2", "--format", "junit", "-o", "gate.xml")
    check("labels", "draw", "runs/a", "--metric", metric, "-o", "sheet.csv")
    check("verify", "runs/a", "runs/b")
    check("runs", "runs")
    check("trend", "runs/a", "runs/b")
    check(
        "plan", "--difference", "1", "--pilot", "runs/a", "runs/b", "--metric", metric, code=2
    )  # equal runs
    check("history", "runs/a", "runs/b", "--bar", f"{metric}=3")
    used |= {"list", "prompts", "demo", "completion", "help"}  # they use no key
    check("probe", *judge[:6], code=3)
    write_rag(metric)
    check(*EXPERIMENT)
    commands = next(action.choices for action in parser()._actions if action.choices)
    assert set(commands) == used


@pytest.mark.parametrize("status", [400, 401, 404, 302, 307])
def test_no_key_is_in_what_a_failing_server_leaves(server, place, capsys, status):
    write_pipeline(server)
    server.status = status
    judge = ("--judge-model", "m", "--judge-url", address(server), "--judge-key", "CANARY_KEY")
    call(
        "run",
        "safety",
        "--data",
        "d.jsonl",
        "--name",
        "r",
        *judge,
        "--cache",
        "c.sqlite",
        "--limit",
        "2",
        code=3,
    )
    call("run", "judged.yaml", "--data", "d.jsonl", "--name", "j", "--trust", "--limit", "2", code=3)
    out, files = assert_clean(place, capsys)
    assert "<redacted:" in out
    assert files


def test_a_key_in_the_place_of_the_name_of_its_variable_is_refused_before_anything_is_written(place, capsys):
    judge = ("--judge-model", "m", "--judge-url", "http://127.0.0.1:9/v1", "--judge-key", MIXED)
    call("run", "safety", "--data", "d.jsonl", "--out", "r", *judge, code=2)
    out, files = assert_clean(place, capsys)
    assert "14 characters that name no environment variable" in out
    assert not files


def test_a_key_in_the_place_of_the_name_of_its_variable_in_a_file(server, place, capsys):
    write_pipeline(server)
    Path("judged.yaml").write_text(Path("judged.yaml").read_text().replace("CANARY_KEY", MIXED))
    for words in (("run",), ("estimate",), ("run", "--trust"), ("estimate", "--trust")):
        call(words[0], "judged.yaml", "--data", "d.jsonl", *words[1:], code=2)
        out, files = assert_clean(place, capsys)
        assert "chat_generator.init_parameters.api_key.env_vars has 14 characters" in out
        assert not files


def test_a_key_in_the_place_of_its_secret_in_a_file(server, place, capsys):
    write_pipeline(server)
    whole = yaml.safe_load(Path("judged.yaml").read_text())
    name = next(name for name, part in whole["components"].items() if "chat_generator" in str(part))
    generator = whole["components"][name]["init_parameters"]["chat_generator"]
    generator["init_parameters"]["api_key"] = MIXED
    Path("judged.yaml").write_text(yaml.safe_dump(whole))
    for words in (("run",), ("estimate", "--trust")):
        call(words[0], "judged.yaml", "--data", "d.jsonl", *words[1:], code=2)
        out, files = assert_clean(place, capsys)
        assert "chat_generator.init_parameters.api_key is a text, perhaps the key itself" in out
        assert "{type: env_var, env_vars: [OPENAI_API_KEY]}" in out
        assert not files


def test_a_key_in_the_data_is_stored_nowhere(server, place, capsys):
    write_pipeline(server)
    texts = {
        "question": f"Q {KEY}",
        "response": f"A Bearer {KEY}",
        "reference": in_base64(KEY),
        f"the {KEY}": 1,
    }
    rows = [{"id": f"{KEY} {n}" if n else "0", **texts, "kind": KEY if n % 2 else "b"} for n in range(4)]
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    call("run", "judged.yaml", "--data", "d.jsonl", "--name", "a", "--trust", "--cache", "c.sqlite")
    for words in (
        ("report", "--detailed"),
        ("report", "--slice", "kind"),
        ("report", "-o", "r.html"),
        ("export", "-o", "e.csv"),
    ):
        call(words[0], "runs/a", *words[1:])
    assert_clean(place, capsys)


@pytest.mark.parametrize(
    "key", [f"{KEY}\n", "ké½y-Canary-77", "one\r\nX-Evil: Canary99xyz", "q\"uo'te\\Canary99"]
)
def test_a_key_that_no_header_can_hold_is_in_no_message(server, place, capsys, monkeypatch, key):
    monkeypatch.setenv("ODD_KEY", key)
    judge = ("--judge-model", "m", "--judge-url", f"{server.url}/", "--judge-key", "ODD_KEY", "--limit", "2")
    main(["run", "valor_coherence", "--data", "d.jsonl", "--name", "o", *judge])
    out, files = assert_clean(place, capsys)
    texts = [out, *(text for file in files for text in texts_in(file))]
    assert not [text for text in texts for form in (key.strip(), ascii(key.strip())[1:-1]) if form in text]


def test_no_key_is_in_a_log_a_warning_or_an_object(server, place, capsys, caplog):
    write_pipeline(server)
    caplog.set_level("DEBUG")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        results = thresher.evaluate(thresher.load_pipeline("judged.yaml", trust=True), "d.jsonl")
    assert server.calls
    shown = [
        caplog.text,
        repr(results),
        str(results),
        json.dumps(results.to_dict()),
        *(str(one.message) for one in warned),
    ]
    assert not [leaks(text) for text in shown if leaks(text)]
