"""`thresher experiment` as its users meet it."""

import json
from pathlib import Path

import pytest

from judges.mock_server import MockServer, running
from rag_files import INDEXING
from thresher.cli import main
from thresher.cli.asking import usage
from thresher.judges.engine.account import Account
from thresher.pipelines import open_run

RAG = """
components:
  retriever:
    type: haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever
    init_parameters:
      top_k: 2
      document_store:
        type: haystack.document_stores.in_memory.document_store.InMemoryDocumentStore
        init_parameters: {}
  prompt:
    type: haystack.components.builders.chat_prompt_builder.ChatPromptBuilder
    init_parameters:
      required_variables: "*"
      template: "{% message role='user' %}{{ documents | map(attribute='content') | join(' ') }} {{ query }}\\
        {% endmessage %}"
  llm:
    type: pipelines.query_systems.Writer
    init_parameters: {log: log}
connections:
  - {sender: retriever.documents, receiver: prompt.documents}
  - {sender: prompt.prompt, receiver: llm.messages}
"""
QUESTIONS = [
    {"id": "q1", "question": "How high is the tower?", "answer": "48 m", "ground_truth_documents": ["tower"]},
    {"id": "q2", "question": "How high is the mill?", "answer": "17 m", "ground_truth_documents": ["mill"]},
]
PASSAGES = [
    {"id": "tower", "text": "The tower is 48 m high. It was built in 1902."},
    {"id": "mill", "text": "The mill is 17 m high. It closed in 1950."},
]
BASE = (
    "experiment",
    "rag.yaml",
    "--questions",
    "questions.jsonl",
    "--metrics",
    "exact_match",
    "--out",
    "out",
)
TOP_K = (
    "thresher: no configuration can run: top_k=three: rag.yaml is not a pipeline that can be loaded: "
    "retriever (InMemoryBM25Retriever): TypeError: '<=' not supported between instances of 'str' and 'int' "
    "(with retriever.top_k='three')"
)
INDEX = ("--indexing", "indexing.yaml", "--documents", "corpus.jsonl")
VARY = ("--vary", "retriever.top_k=1,2")


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "thresher,pipelines")
    Path("rag.yaml").write_text(RAG, encoding="utf-8")
    Path("indexing.yaml").write_text(INDEXING.replace("{index: passages}", "{}"), encoding="utf-8")
    for name, rows in (("questions", QUESTIONS), ("corpus", PASSAGES)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        Path(f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def cli(capsys, *words, code=0):
    assert main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    return out if code == 0 else out + err


def asked():
    return Path("log").read_text(encoding="utf-8").splitlines() if Path("log").exists() else []


def test_it_prints_the_leaderboard_and_where_it_is_stored(workplace, capsys):
    shown = cli(capsys, *BASE, *INDEX, *VARY, "--quiet")
    assert "Ordered by exact_match over 2 items" in shown
    assert "stored in out" in shown
    assert "calls to models" in shown
    again = cli(capsys, *BASE, *INDEX, *VARY, "--quiet", "--format", "json")
    assert {run["run"] for run in json.loads(again)["runs"]} == {"top_k=1", "top_k=2"}
    assert len(asked()) == 4


def test_a_dry_run_counts_and_writes_nothing(workplace, capsys):
    words = (*BASE, *INDEX, *VARY, "--vary", "splitter.split_length=5,50", "--dry-run")
    shown = json.loads(cli(capsys, *words, "--format", "json"))
    known = {name: shown[name] for name in ("configurations", "indexes", "answers", "generator_calls")}
    assert known == {"configurations": 4, "indexes": 2, "answers": 8, "generator_calls": 8}
    sent, received = shown["generator_tokens"]
    assert 8 * 10 < sent < 8 * 60
    assert (received, shown["cost"], shown["judge_calls"]) == (8 * 100, None, 0)
    assert "prompts of the first 20 questions with top_k passages" in " ".join(shown["notes"])
    priced = json.loads(cli(capsys, *words, "--price", "in=1,out=2", "--format", "json"))
    assert priced["cost"] == pytest.approx((sent + 2 * received) / 1e6, rel=0.01)
    assert not Path("out").exists()
    assert not asked()


def test_each_distinct_index_is_built_once(workplace, capsys):
    cli(capsys, *BASE, *INDEX, *VARY, "--vary", "splitter.split_length=5,50", "--quiet")
    state = json.loads(Path("out/experiment.json").read_text(encoding="utf-8"))
    used = [entry["index"] for entry in state["configurations"].values()]
    assert (len(used), len(set(used)), set(state["indexes"])) == (4, 2, set(used))


def test_a_dry_run_after_a_part_of_the_experiment_knows_its_tokens(workplace, capsys):
    cli(capsys, *BASE, *INDEX, *VARY, "--quiet")
    words = (*BASE, *INDEX, "--vary", "retriever.top_k=1,2,3", "--dry-run", "--price", "in=1,out=0")
    shown = json.loads(cli(capsys, *words, "--format", "json"))
    assert (shown["configurations"], shown["answers"]) == (3, 2)
    assert shown["generator_tokens"][0] > 0
    assert shown["cost"] == pytest.approx(shown["generator_tokens"][0] / 1e6, rel=0.1)


def test_a_dry_run_estimates_the_calls_of_judges(workplace, capsys):
    words = [word if word != "exact_match" else "valor_faithfulness" for word in BASE]
    shown = json.loads(cli(capsys, *words, *INDEX, *VARY, "--dry-run", "--format", "json"))
    assert shown["judge_calls"] == 8
    assert "references as answers" in " ".join(shown["notes"])


def test_an_experiment_file_holds_the_same_options(workplace, capsys):
    folder = Path("folder")
    folder.mkdir()
    for name in ("rag.yaml", "indexing.yaml", "questions.jsonl", "corpus.jsonl"):
        Path(name).rename(folder / name)
    (folder / "brief.jinja").write_text(
        "{% message role='user' %}{{ documents[0].content }} {{ query }}{% endmessage %}", encoding="utf-8"
    )
    (folder / "experiment.yaml").write_text(
        "pipeline: rag.yaml\nquestions: questions.jsonl\nindexing: indexing.yaml\ndocuments: corpus.jsonl\n"
        "vary:\n  retriever.top_k: [1, 2]\n  prompt.template: {brief: '@brief.jinja'}\n"
        "exclude: [{retriever.top_k: 2}]\nconfigurations: {as is: {}}\nmetrics: [exact_match]\nout: results\n"
        "primary: exact_match\n",
        encoding="utf-8",
    )
    shown = cli(capsys, "experiment", folder / "experiment.yaml", "--quiet")
    assert "top_k=1,template=brief" in shown
    assert "as is" in shown
    assert len(list((folder / "results").glob("*/run.json"))) == 2
    cli(capsys, "experiment", folder / "experiment.yaml", "--quiet", "--out", "elsewhere", "--limit", 1)
    assert len(list(Path("elsewhere").glob("*/run.json"))) == 2


def test_a_configuration_that_cannot_be_built_exits_3_and_the_others_are_shown(workplace, capsys):
    words = (*BASE, *INDEX, "--vary", "retriever.top_k=1,2,-1", "--quiet")
    shown = cli(capsys, *words, code=3)
    assert "top_k=2" in shown
    assert "top_k=-1 could not run: " in shown
    assert "top_k must be greater than 0" in shown


def test_configurations_of_an_index_that_cannot_be_built_are_listed(workplace, capsys):
    words = (*BASE, *INDEX, *VARY, "--vary", "splitter.split_length=5,0", "--quiet")
    shown = cli(capsys, *words, code=3)
    assert "top_k=1,split_length=0 could not run: the index cannot be built: " in shown
    assert shown.count("split_length must be greater than 0") == 2
    assert "top_k=2,split_length=5" in shown


def test_a_budget_exits_3_and_the_same_command_continues(workplace, capsys):
    words = (*BASE, *INDEX, *VARY, "--quiet", "--price", "in=1,out=0", "--block", 1)
    shown = cli(capsys, *words, "--max-cost", "0.00001", code=3)
    assert "The budget is used up" in shown
    assert "top_k=2 is incomplete: run the same command again" in shown
    assert "Ordered by exact_match over 2 items" in cli(capsys, *words)
    assert len(asked()) == 4


def test_a_pipeline_without_variation_is_run_once(workplace, capsys):
    shown = cli(capsys, *BASE, *INDEX, "--quiet")
    assert "exact_match ↑ primary" in shown
    assert len(list(Path("out").glob("unchanged-*/run.json"))) == 1
    assert len(asked()) == 2


def test_a_query_pipeline_given_to_run_is_sent_to_experiment(workplace, capsys):
    for command in ("run", "estimate"):
        shown = cli(capsys, command, "rag.yaml", "--data", "questions.jsonl", "--map", "x=query", code=2)
        assert "`thresher experiment rag.yaml --questions FILE --metrics NAMES`" in shown
        assert shown.count("\n") == 1


LANGSMITH = [
    {"inputs": {"question": row["question"]}, "outputs": {"answer": row["answer"]}} for row in QUESTIONS
]
OTHER = [{"ask": row["question"], "truth": row["answer"], "response": "old"} for row in QUESTIONS]


@pytest.mark.parametrize("place", ["options", "file"])
@pytest.mark.parametrize(
    ("rows", "mapping"),
    [
        (LANGSMITH, {}),
        ([{key: json.dumps(value) for key, value in row.items()} for row in LANGSMITH],
         {"inputs.question": "questions", "outputs.answer": "ground_truth_answers"}),
        (OTHER, {"ask": "questions", "truth": "ground_truth_answers"}),
    ],
)  # fmt: skip
def test_questions_are_mapped(workplace, capsys, rows, mapping, place):
    Path("questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    words = [*BASE, *INDEX, "--quiet"]
    if mapping and place == "options":
        assert "--map " in cli(capsys, *words, code=2)
        words += [word for pair in mapping.items() for word in ("--map", "=".join(pair))]
    elif mapping:
        Path("e.yaml").write_text(json.dumps({"pipeline": "rag.yaml", "map": mapping}), encoding="utf-8")
        words[1] = "e.yaml"
    assert main([str(word) for word in words]) == 0
    shown = capsys.readouterr().err
    [file] = Path("out").glob("*/run.json")
    assert ("read 'outputs.answer' as ground_truth_answers" in shown) == (not mapping)
    assert open_run(file.parent).inputs["ground_truth_answers"][1] == "17 m"


def test_a_column_that_is_missing_is_named_with_what_experiment_has(workplace, capsys):
    Path("questions.jsonl").write_text('{"question": "How high?"}\n', encoding="utf-8")
    shown = cli(capsys, *BASE, *INDEX, "--quiet", code=2)
    assert "rename one with --map COLUMN=ground_truth_answers" in shown
    assert "--skip-missing" not in shown


@pytest.mark.parametrize("file", ["x.txt", "x.yaml", "x.json", "list.yaml", "map.yaml"])
@pytest.mark.parametrize("path", ["llm", "retriever.top_k", "prompt.template.x", "retriever.top_k.x"])
def test_the_content_of_a_file_is_in_no_message(workplace, capsys, file, path):
    texts = {
        "x.txt": "hush",
        "x.yaml": "hush",
        "x.json": '"hush"',
        "list.yaml": "[hush]",
        "map.yaml": "hush: 1",
    }
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    shown = cli(capsys, *BASE, *INDEX, "--vary", f"{path}=@{file}", "--quiet", code=2)
    assert "hush" not in shown
    assert (f"llm: @{file} holds a" in shown) == (path == "llm")
    shown = cli(capsys, *BASE, *INDEX, "--configurations", file, "--quiet", code=2)
    assert "'hush'" not in shown or file == "map.yaml"  # the name of a configuration


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--vary", "retriever.top_k"), "--vary retriever.top_k: write PATH=VALUES"),
        ((*VARY, *VARY), "retriever.top_k is given twice"),
        (("--vary", "retriever.topk=1"), "did you mean 'top_k'"),
        (("--vary", "retreiver.top_k=1"), "did you mean 'retriever'"),
        ((*VARY, "--indexing", "indexing.yaml"), "indexing needs documents too"),
        ((*VARY, "--exclude", "retriever.top_k > 0"), "`exclude` matches all"),
        ((*VARY, "--configurations", "no.yaml"), "no.yaml does not exist"),
        ((*INDEX, *VARY, "--question-to", "retriever.question"), "there is no open socket"),
    ],
)
def test_wrong_usage_is_one_line_and_exits_2(workplace, capsys, words, message):
    shown = cli(capsys, *BASE, *words, code=2)
    assert message in shown
    assert shown.count("\n") == 1
    assert not asked()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pipeline: rag.yaml\nvari: {}\n", "experiment.yaml: unknown key 'vari' (did you mean 'vary'?)"),
        ("questions: q.jsonl\n", "`pipeline:` is missing"),
        ("pipeline: rag.yaml\nrepeats: many\n", "experiment.yaml: repeats='many' must be"),
        ("pipeline: rag.yaml\nvary: [a]\n", "experiment.yaml: vary="),
        ("pipeline: rag.yaml\nvary: {retriever.top_k: [1]}\n", "no questions to ask"),
        (
            "pipeline: rag.yaml\nquestions: questions.jsonl\nvary: {retriever.top_k: [1]}\n",
            "nothing to measure",
        ),
    ],
)
def test_a_wrong_experiment_file_is_one_line_and_exits_2(workplace, capsys, text, message):
    Path("experiment.yaml").write_text(text, encoding="utf-8")
    shown = cli(capsys, "experiment", "experiment.yaml", code=2)
    assert message in shown
    assert shown.count("\n") == 1


def test_a_pipeline_that_sends_a_key_elsewhere_needs_trust(workplace, capsys):
    generator = "haystack.components.generators.chat.openai.OpenAIChatGenerator"
    options = "{api_base_url: https://collector.example/v1}"
    text = RAG.replace("pipelines.query_systems.Writer", generator).replace("{log: log}", options)
    Path("rag.yaml").write_text(text, encoding="utf-8")
    shown = cli(capsys, *BASE, *INDEX, *VARY, code=2)
    assert "would send OPENAI_API_KEY to https://collector.example: add --trust" in shown


def test_an_empty_store_is_refused_with_a_remedy_after_which_the_same_command_runs(workplace, capsys):
    shown = cli(capsys, *BASE, *VARY, "--quiet", code=2)
    assert "retriever: the in-memory store is empty; give an indexing pipeline" in shown
    assert not Path("out").exists()
    assert not asked()
    cli(capsys, *BASE, *INDEX, *VARY, "--quiet")
    assert len(list(Path("out").glob("*/run.json"))) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            (*VARY, "--primary", "exact_mach"),
            "thresher: primary: no measure 'exact_mach' here (did you mean 'exact_match'?)",
        ),
        (("--vary", "retriever.top_k=three"), TOP_K),
    ],
)
def test_what_no_configuration_can_use_is_refused_before_a_folder_is_made(workplace, capsys, words, message):
    shown = cli(capsys, *BASE, *INDEX, *words, "--quiet", code=2)
    assert shown.startswith(message)
    assert not Path("out").exists()
    assert not asked()


def test_tokens_that_generators_do_not_report_are_not_zero():
    [line] = usage(Account(calls=2), cached=True, callee="models")
    assert line == "2 calls to models, 0 replies from the cache, tokens not reported"
    [line] = usage(Account(calls=2, prompt_tokens=3), cached=True, callee="models")
    assert line.endswith("cache, 3 tokens")
    shares = {"cached_tokens": 20, "reasoning_tokens": 4}
    [line] = usage(Account(calls=2, prompt_tokens=30, completion_tokens=9, **shares), cached=True)
    assert "39 tokens (20 of cached input, 4 of reasoning)" in line
    [line] = usage(Account(known=2), cached=True, callee="models")
    assert line.endswith("2 replies from the cache, 0 tokens")


@pytest.mark.parametrize("key", ["judge_key: MY_DB_PASSWORD\n", ""], ids=["any", "default"])
def test_a_file_sends_no_key_to_a_judge_that_only_the_file_names(workplace, capsys, monkeypatch, key):
    monkeypatch.setenv("MY_DB_PASSWORD", "hunter2")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own")
    server = MockServer(replies=[lambda _: '{"reason": "r", "rating": 4}'])
    with running(server) as url:
        Path("theirs.yaml").write_text(
            "pipeline: rag.yaml\nquestions: questions.jsonl\nindexing: indexing.yaml\n"
            "documents: corpus.jsonl\nmetrics: valor_coherence\nvary: {retriever.top_k: [1, 2]}\n"
            f"judge_model: m\njudge_url: {url}\n{key}",
            encoding="utf-8",
        )
        command = ("experiment", "theirs.yaml", "--quiet", "--no-cache", "--out")
        name = "MY_DB_PASSWORD" if key else "OPENAI_API_KEY"
        line = cli(capsys, *command, "out", code=2)
        assert f"theirs.yaml would send {name} to {url.removesuffix('/v1')}: add --trust" in line
        assert not Path("out").exists()
        assert not server.headers
        cli(capsys, *command, "out", "--judge-url", url, "--judge-key", "OPENAI_API_KEY")
        assert {headers["authorization"] for headers in server.headers} == {"Bearer sk-own"}
        server.reset()
        cli(capsys, *command, "trusted", "--trust")
    trusted = "hunter2" if key else "sk-own"
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {trusted}"}
