"""`thresher prompts`, and `--templates` of commands that judge."""

from pathlib import Path

import pytest

import thresher
from cli.test_judging import cli, judged, server, workplace  # noqa: F401  # fixtures
from thresher.judges.prompt import FOLDER
from thresher.judges.template_packs import shipped_names


def test_export_writes_the_shipped_prompts_under_their_names(workplace, capsys):  # noqa: F811
    shown = cli(capsys, "prompts", "export", "words")
    names = {path.relative_to("words").as_posix() for path in Path("words").rglob("*.*")}
    assert names == {f"{name}.jinja" for name in shipped_names()} | {"system.txt"}
    assert f"wrote {len(names)} files into words" in shown
    for name in names:
        assert Path("words", name).read_text() == (FOLDER / name).read_text()


def test_export_of_one_origin_never_replaces_a_file_unasked(workplace, capsys):  # noqa: F811
    cli(capsys, "prompts", "export", "words", "--origin", "valor", "--origin", "geval")
    assert {path.name for path in Path("words").iterdir()} == {"valor", "geval", "system.txt"}
    Path("words/valor/claims.jinja").write_text("mine")
    shown = cli(capsys, "prompts", "export", "words", code=2)
    assert "exists: give another folder, or --overwrite" in shown
    assert Path("words/valor/claims.jinja").read_text() == "mine"
    assert not Path("words/ragas").exists()
    cli(capsys, "prompts", "export", "words", "--overwrite")
    assert Path("words/valor/claims.jinja").read_text() != "mine"
    shown = cli(capsys, "prompts", "export", "more", "--origin", "valr", code=2)
    assert "did you mean 'valor'" in shown


@pytest.mark.slow
def test_check_names_every_template_that_cannot_be_used(workplace, capsys):  # noqa: F811
    cli(capsys, "prompts", "export", "words")
    assert "All can be used." in cli(capsys, "prompts", "check", "words")
    Path("words/valor/claims.jinja").write_text("{{ texts }}")
    Path("words/valor/bias.jinja").write_text("{# reply: text #}{{ opinions }}")
    Path("words/mine.jinja").write_text("{{ text }}")
    shown = cli(capsys, "prompts", "check", "words", code=2)
    assert f"3 of {len(shipped_names()) + 1} templates cannot be used." in shown
    assert "variable texts of valor/claims is unknown" in shown
    assert "valor/bias asks for a plain text, but Verdicts can be read from a JSON object only" in shown
    assert "no metric has a prompt of this name" in shown


@pytest.mark.slow
def test_a_run_with_unchanged_templates_is_the_same_run_and_asks_nothing_again(server, workplace, capsys):  # noqa: F811
    cli(capsys, "prompts", "export", "words")
    cli(capsys, *judged(server, "--out", "runs/a"))
    calls = server.calls
    cli(capsys, *judged(server, "--out", "runs/b", "--templates", "words"))
    assert server.calls == calls
    assert signatures("runs/a") == signatures("runs/b")


def test_a_comparison_names_the_prompt_that_differs(server, workplace, capsys):  # noqa: F811
    cli(capsys, *judged(server, "--out", "runs/a"))
    cli(capsys, "prompts", "export", "words", "--origin", "valor")
    file = Path("words/valor/faithfulness.jinja")
    file.write_text(f"Take your time. {file.read_text()}")
    cli(capsys, *judged(server, "--out", "runs/b", "--templates", "words"))
    shown = " ".join(cli(capsys, "compare", "runs/a", "runs/b").split())
    computed = "valor_faithfulness was computed with other settings in rag_2 than in rag_1"
    assert f"{computed}: prompts valor/faithfulness@" in shown
    assert "prompts valor/claims" not in shown
    assert "valor_answer_relevance was computed" not in shown


@pytest.mark.parametrize("command", ["run", "estimate"])
def test_templates_for_no_metric_of_the_pipeline_are_refused(workplace, capsys, command):  # noqa: F811
    Path("words/geval").mkdir(parents=True)
    Path("words/geval/steps.jinja").write_text("{{ criteria }} {{ scale }}")
    words = [command, "judged.yaml", "--data", "rag.jsonl", "--templates", "words"]
    shown = cli(capsys, *words, code=2)
    assert "--templates words: no metric of this pipeline asks these; it asks valor/" in shown


def signatures(folder):
    return {str(metric.measure.signature) for metric in thresher.open_run(folder).metrics.values()}
