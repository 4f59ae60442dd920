"""Change the code in small ways and report the share of the changes (mutants) that the tests notice.

    python scripts/mutate.py [--room ROOM ...] [--sample N|all] [--seed N] [--children N] [--below SHARE]

For every room: a scratch copy in `build/mutate/<room>`, the mutants of mutmut, a seeded random sample of
them, and only the tests of that room. Tests marked `simulation` or `slow` are left out.
The same command after an interruption continues; a changed source or test starts the room anew.
Exit code: 0, or 1 when a room's share killed is below `--below`. Needs the dependency group `mutate`.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from thresher.kernels.inference.one_more import rate_limits
from time_limit import LIMIT

HERE = Path(__file__).parent
HOME = HERE.parent
SCRATCH = HOME / "build" / "mutate"
REASONS = HERE / "mutants_reasoned.toml"
PARTS = ("src", "tests")
GENERATE = """
import sys
from pathlib import Path
from mutmut.__main__ import create_mutants
from mutmut.utils.file_utils import copy_src_dir
Path("mutants").mkdir(exist_ok=True)
copy_src_dir()
create_mutants(int(sys.argv[1]))
"""
"""Mutmut's first step alone: the sample is drawn from the names of its mutants."""
KILLED = ("killed", "timeout", "segfault", "caught by type check")
"""A mutant that hangs or crashes does not go unnoticed. A test that hangs fails (`time_limit`), so a run
rarely times out; the report shows the mutants for which it does."""


@dataclass(frozen=True)
class Room:
    """A package, the tests that answer for it, and how mutmut isolates its mutants."""

    package: str
    tests: tuple[str, ...]
    isolation: str = "fork"


ROOMS = {
    "inference": Room("kernels/inference", ("tests/kernels/inference",)),
    "gates": Room("reports/gates", ("tests/reports/gates", "tests/cli/test_gate.py")),
    # The judges' tests leave threads and event loops behind, which a fork of the same process would inherit.
    "engine": Room(
        "judges/engine",
        (
            "tests/judges/engine",
            "tests/judges/test_session.py",
            "tests/judges/test_settings.py",
        ),
        "forkserver",
    ),
}


@dataclass
class Tally:
    """Outcomes of a room's sample: the status of each mutant, and reasons for survivors by name."""

    room: str
    mutants: int
    statuses: dict[str, str]
    diffs: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def share(self) -> tuple[int, int]:
        """Killed mutants, and sampled mutants without those that no test can kill."""
        killed = sum(status in KILLED for status in self.statuses.values())
        return killed, len(self.statuses) - len(self.reasons)

    def lines(self) -> Iterator[str]:
        """Return the counts, the share with its interval, and every mutant that no test failed for."""
        counts = Counter(self.statuses.values())
        killed, judged = self.share()
        low, high = rate_limits(killed, judged, 0.95)
        yield (
            f"{self.room}: {self.mutants} mutants, {len(self.statuses)} sampled, {killed} killed"
            f" (of them {counts['timeout']} by timeout), {len(self.statuses) - killed} survived"
            f" (of them {counts['no tests']} without a test, {len(self.reasons)} reasoned about)"
        )
        yield f"{self.room}: share killed {killed / judged:.1%} [{low:.1%}, {high:.1%}], without the reasoned"
        for name, diff in self.diffs.items():
            yield f"\n{self.statuses[name]}: {name}\n{diff}"
            if name in self.reasons:
                yield f"reason: {self.reasons[name]}"


def main() -> int:
    """Run the rooms that are named, or all."""
    options = _options()
    enough = True
    for name in options.room or ROOMS:
        tally = run_room(name, options.sample, options.seed, options.children)
        print("\n".join(tally.lines()), flush=True)  # noqa: T201 - the report is what the script is for
        killed, judged = tally.share()
        enough &= killed >= options.below * judged
    return 0 if enough else 1


def run_room(name: str, sample: int | None, seed: int, children: int) -> Tally:
    """Run the tests of a room on a sample of its mutants; those with a result are not run again."""
    room = ROOMS[name]
    folder = SCRATCH / name
    _prepare(room, folder, children)
    statuses = _statuses(folder)
    names = sorted(statuses)
    chosen = names if sample is None or sample >= len(names) else random.Random(seed).sample(names, sample)  # noqa: S311
    if missing := [mutant for mutant in chosen if statuses.get(mutant, "not checked") == "not checked"]:
        _mutmut(folder, "run", "--max-children", str(children), *missing, show=True)
        statuses = _statuses(folder)
    tally = Tally(name, len(names), {mutant: statuses[mutant] for mutant in chosen})
    for mutant, status in tally.statuses.items():
        if status != "killed":
            tally.diffs[mutant] = _mutmut(folder, "show", mutant)
    survivors = {mutant: diff for mutant, diff in tally.diffs.items() if tally.statuses[mutant] not in KILLED}
    tally.reasons = _reasons(survivors)
    return tally


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--room", action="append", choices=ROOMS, help="may be repeated; default: all")
    parser.add_argument("--sample", type=_sample, default=150, help="mutants per room, or 'all' (150)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (0)")
    parser.add_argument("--children", type=int, default=os.cpu_count() or 1, help="processes (one per CPU)")
    parser.add_argument("--below", type=float, default=0.9, help="share killed that is enough (0.9)")
    return parser.parse_args()


def _sample(text: str) -> int | None:
    return None if text == "all" else int(text)


def _prepare(room: Room, folder: Path, children: int) -> None:
    """Bring the scratch copy up to date; forget its results if a source, a test or the settings changed."""
    copies = {folder / path.relative_to(HOME): path.read_bytes() for path in _files()}
    copies[folder / "pyproject.toml"] = (
        (HOME / "pyproject.toml").read_text() + _configuration(room)
    ).encode()
    changed = [path for path, content in copies.items() if not path.exists() or path.read_bytes() != content]
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(copies[path])
        if path.suffix != ".py":  # mutmut copies what is not there, and modules that are older
            (folder / "mutants" / path.relative_to(folder)).unlink(missing_ok=True)
    gone = [path for part in PARTS for path in (folder / part).rglob("*.py") if path not in copies]
    for path in gone:
        path.unlink()
        (folder / "mutants" / path.relative_to(folder)).unlink(missing_ok=True)
    if changed or gone:
        _forget(folder)
        _run(folder, "-c", GENERATE, str(children))


def _files() -> Iterator[Path]:
    for part in PARTS:
        yield from (path for path in (HOME / part).rglob("*") if path.is_file() and path.suffix != ".pyc")


def _forget(folder: Path) -> None:
    """Drop the results and the tests by function, which older tests gave; the mutants stay."""
    (folder / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)
    for path in (folder / "mutants").rglob("*.py.meta"):
        content = json.loads(path.read_text())
        content["exit_code_by_key"] = dict.fromkeys(content["exit_code_by_key"])
        path.write_text(json.dumps(content))


def _configuration(room: Room) -> str:
    quoted = ", ".join(f'"{path}"' for path in room.tests)
    return f"""
[tool.mutmut]
source_paths = ["src"]
only_mutate = ["src/thresher/{room.package}/*.py"]
pytest_add_cli_args_test_selection = [{quoted}]
pytest_add_cli_args = ["-m", "not simulation and not slow", "-p", "no:cacheprovider", "-p", "time_limit"]
process_isolation = "{room.isolation}"
timeout_multiplier = 6.0
timeout_constant = {2 * LIMIT}.0
use_git_change_detection = false
"""


def _statuses(folder: Path) -> dict[str, str]:
    """Status of each mutant in a scratch copy."""
    rows = (
        line.strip().rpartition(": ") for line in _mutmut(folder, "results", "--all", "true").splitlines()
    )
    return {mutant: status for mutant, _, status in rows if mutant}


def _mutmut(folder: Path, *arguments: str, show: bool = False) -> str:
    return _run(folder, "-m", "mutmut", *arguments, show=show)


def _run(folder: Path, *arguments: str, show: bool = False) -> str:
    """Return what Python prints, or show it as it comes; exit when it fails."""
    # Numpy's own threads would compete with the children.
    changed = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    changed["HYPOTHESIS"] = "thorough"
    changed["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    options = {"cwd": folder, "env": os.environ | changed, "stdout": None if show else subprocess.PIPE}
    done = subprocess.run([sys.executable, *arguments], **options, text=True, check=False)  # noqa: S603
    if done.returncode:
        sys.exit(f"{' '.join(arguments[:3])} failed in {folder}; its output is above\n{done.stdout or ''}")
    return done.stdout or ""


def _reasons(diffs: dict[str, str]) -> dict[str, str]:
    """Reasons of the survivors that the file lists, by function and changed line."""
    listed = {
        (row["function"], row["line"]): row["reason"] for row in tomllib.loads(REASONS.read_text())["mutant"]
    }
    keys = {mutant: (_function(mutant), _changed(diff, "+")) for mutant, diff in diffs.items()}
    general = {mutant: reason for mutant, diff in diffs.items() if (reason := _general_reason(diff))}
    return general | {mutant: listed[key] for mutant, key in keys.items() if key in listed}


def _general_reason(diff: str) -> str:
    """Reason of a survivor of one of three kinds that no test can kill; empty for all others."""
    before, after = _changed(diff, "-"), _changed(diff, "+")
    strings = [re.findall("'[^']*'", lines) for lines in (before, after)]
    if "execute" in after and before.casefold() == after.casefold() and strings[0] == strings[1]:
        return "SQL does not distinguish the case of its words, tables and columns"
    lenient = [re.sub(r",\s*(?:strict=\w+)?(?=\))", "", lines) for lines in (before, after)]
    if "strict=True" in before and lenient[0] == lenient[1]:
        return "both sides are always equally long; strict is a guard"
    if "warn" in before and re.sub(r"stacklevel=\w+", "", before) == re.sub(r"stacklevel=\w+", "", after):
        return "mutmut adds a frame to every call, so no test of a mutated copy sees where a warning points"
    return ""


def _function(mutant: str) -> str:
    """Return the dotted name of a mutant's function: `a.b.x_f__mutmut_3` is `a.b.f`."""
    module, _, function = mutant.partition("__mutmut_")[0].rpartition(".")
    return f"{module}.{function.removeprefix('x').lstrip('_ǁ').replace('ǁ', '.')}"


def _changed(diff: str, sign: str) -> str:
    """Return the lines that a mutant adds (+) or removes (-), joined by one space."""
    lines = (line for line in diff.splitlines() if line.startswith(sign) and not line.startswith(3 * sign))
    return " ".join(line[1:].strip() for line in lines)


if __name__ == "__main__":
    sys.exit(main())
