"""Files that this package writes, and the command line."""

import gzip
import io
import json
import shutil
from contextlib import redirect_stderr, redirect_stdout

from fuzz.inputs import ROWS, changed, changed_json, changed_lines, changed_yaml
from fuzz.mutations import mutate_bytes
from fuzz.registry import fuzzer
from fuzz.texts import PIPELINE_DATA


@fuzzer("judges/recorded.py")
def recording(folder):
    from thresher.judges.recorded import RecordedChatGenerator, Recording

    entry = {"prompt": "p", "reply": "r", "finish": "stop", "tokens": [1, 2], "logprobs": None}
    data = {"model": "m", "about": "", "answers": {"k": entry}}

    def read(path):
        from haystack.dataclasses import ChatMessage

        recorded = Recording.load(path)
        judge = RecordedChatGenerator(str(path))
        key = next(iter(recorded.entries), None)
        if key is not None:
            judge._recording().entries = dict.fromkeys([digest_of("x")], recorded.entries[key])
            judge.run([ChatMessage.from_user("x")])
        return recorded

    def action(rng):
        content = gzip.compress(changed_json(rng, data))
        content = changed(rng, content) if rng and rng.random() < 0.3 else content
        (folder / "r.json.gz").write_bytes(content)
        return lambda: read(folder / "r.json.gz")

    return action


def digest_of(text):
    from thresher.judges.flow import digest

    return digest([("user", text)])


@fuzzer("reports/labels/sheet.py", "reports/rendering/formats/excel.py")
def label_sheet(folder):
    from thresher.reports.labels.sheet import read_sheet
    from thresher.reports.rendering.formats.excel import write_workbook
    from thresher.reports.table import Table

    text = b'id,question,label,label_2,drawn\na,who?,1,0,n=2\nb,"why,\n?",0,,n=2\n'
    write_workbook(folder / "s.xlsx", {"s": Table(["id", "label"], [["a", 1], ["b", 0]])})
    book = (folder / "s.xlsx").read_bytes()

    def action(rng):
        name, content = ("s.xlsx", book) if rng and rng.random() < 0.5 else ("s.csv", text)
        if name == "s.xlsx" and rng.random() < 0.7:
            content = changed_member(rng, book)
            rng = None
        (folder / name).write_bytes(changed(rng, content))
        return lambda: read_sheet(folder / name)

    return action


def changed_member(rng, archive):
    """A ZIP archive in which one file is mutated: mutated archives rarely get past the checksums."""
    from zipfile import ZipFile

    sink = io.BytesIO()
    with ZipFile(io.BytesIO(archive)) as source, ZipFile(sink, "w") as target:
        names = source.namelist()
        chosen = rng.choice(names)
        for name in names:
            content = source.read(name)
            target.writestr(name, mutate_bytes(rng, content) if name == chosen else content)
    return sink.getvalue()


@fuzzer("pipelines/manifest.py", "pipelines/parts.py")
def run_directory(folder):
    from thresher import evaluate, open_run

    evaluate("exact_match", {**PIPELINE_DATA, "more": [{"k": [1]}]}, out=folder / "whole")
    files = [path.relative_to(folder / "whole") for path in (folder / "whole").rglob("*") if path.is_file()]

    def read():
        run = open_run(folder / "run")
        assert {len(result.status) for result in run.results} <= {len(run.ids)}
        str(run.report())
        return run

    def action(rng):
        shutil.rmtree(folder / "run", ignore_errors=True)
        shutil.copytree(folder / "whole", folder / "run")
        if rng is not None:
            path = folder / "run" / rng.choice(files)
            content = path.read_bytes()
            is_json = path.suffix == ".json"
            content = changed_json(rng, json.loads(content)) if is_json else mutate_bytes(rng, content)
            path.write_bytes(content if rng.random() < 0.2 else resealed(content))
        return read

    return action


@fuzzer("reports/runs/results_file.py", "reports/evaluation_results.py")
def results_file(folder):
    from thresher import EvaluationResults, evaluate

    run = evaluate("exact_match,rouge", {**PIPELINE_DATA, "more": [{"k": [1]}]})
    data, path = run.to_dict(), folder / "run.json.gz"

    def read():
        again = EvaluationResults.load(path)
        str(again.report())
        EvaluationResults.from_json(again.to_json())
        return again

    def action(rng):
        content = changed_json(rng, data)
        path.write_bytes(gzip.compress(content))
        return read

    return action


def resealed(content):
    """Content with a valid SHA-256, which reaches the code behind the check."""
    from thresher.pipelines.seal import UNSEALED, sealed

    mark, _, blank = UNSEALED.partition(":")
    start = content.rfind(f"{mark}:".encode())
    if start < 0:
        return content
    start += len(mark) + 1
    return sealed(content[:start] + blank.encode() + content[start + len(blank) :])


@fuzzer("cli/main.py")
def command_line(folder):
    """From a data file to a report: an exit code, and one line for each error."""
    from thresher.cli.main import main

    path, out = folder / "d.jsonl", folder / "run"
    condition = 'language == "de" or n > 1'

    def run():
        shutil.rmtree(out, ignore_errors=True)
        words = ["run", "exact_match,token_f1,rouge", "--data", str(path), "--out", str(out), "--quiet"]
        for command in (words, ["report", str(out), "--slice", condition, "--format", "json"]):
            error = io.StringIO()
            with redirect_stdout(io.StringIO()), redirect_stderr(error):
                code = main(command)
            lines = [
                line for line in error.getvalue().splitlines() if not line.startswith("thresher: warning: ")
            ]
            assert code in (0, 2, 3), error.getvalue()
            assert "unexpected" not in error.getvalue(), error.getvalue()
            assert "Traceback" not in error.getvalue(), error.getvalue()
            assert code == 0 or len(lines) == 1, error.getvalue()
            if code:
                return None
        return out

    def action(rng):
        path.write_bytes(changed_lines(rng, [{**row, "language": "de"} for row in ROWS]))
        return run

    return action


THRESHOLDS = {
    "schema": "thresher-thresholds/1",
    "direction": "higher",
    "default": 0.5,
    "thresholds": {"cat": 0.3, "ape": None},
}


@fuzzer("files/thresholds.py")
def thresholds(folder):
    from thresher import load_thresholds

    def action(rng):
        suffix = rng.choice([".json", ".yaml"]) if rng else ".json"
        change = changed_json if suffix == ".json" else changed_yaml
        (folder / f"t{suffix}").write_bytes(change(rng, THRESHOLDS))
        return lambda: load_thresholds(folder / f"t{suffix}").keep(["cat", "dog"], [0.4, 0.6])

    return action
