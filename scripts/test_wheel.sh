#!/usr/bin/env bash
# Build the wheel, install it where the sources cannot be seen, and run against it the demo and the tests of
# what users call: every component, the command line, the pipelines, the documents.
#
#   bash scripts/test_wheel.sh [newest [TEST...]]    with the newest versions of the packages it depends on
#   bash scripts/test_wheel.sh lowest [TEST...]      with exactly the lowest versions that pyproject.toml declares
#   bash scripts/test_wheel.sh plain                 without extras and tools: what `pip install thresher` gives
#   bash scripts/test_wheel.sh build                 build only; then the others can run at the same time
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD versions=${1:-newest}
[ $# = 0 ] || shift
venv=$top/.venv-wheel-$versions tools=$top/build/tools
# uv compiles no modules, and some environments forbid Python to write compiled ones: then each process of the tests
# would compile all that it imports.
export PYTHONDONTWRITEBYTECODE=
if [ ! -x "$tools/bin/pyproject-build" ]; then
  "${PYTHON:-python3}" -m venv "$tools"
  "$tools/bin/python" -m pip install -q build uv
fi
# One wheel serves all versions of Python, so it is built once and again only when its sources change.
sources=$(find src hatch_build.py pyproject.toml README.md LICENSE -type f -not -name "*.pyc" -not -name "_kernels.*" -print0 |
  sort -z | xargs -0 sha256sum | sha256sum)
if [ "$(cat dist/sources 2> /dev/null)" != "$sources ${THRESHER_NATIVE:-}" ]; then
  rm -rf dist
  "$tools/bin/python" -m build -q --wheel --outdir dist .
  echo "$sources ${THRESHER_NATIVE:-}" > dist/sources
fi
[ "$versions" != build ] || exit 0
rm -rf "$venv"
"$tools/bin/uv" venv -q --python "${PYTHON:-python3}" "$venv"
# pip has no option for lowest versions; behind a proxy of an organisation only the system knows the certificates.
install() { "$tools/bin/uv" pip install -q --system-certs --python "$venv/bin/python" "$@"; }
if [ "$versions" = lowest ]; then
  # Those of the test tools are lowest too, so their declarations are true as well.
  install -r pyproject.toml --all-extras --group test --resolution lowest-direct
  install --no-deps dist/*.whl
elif [ "$versions" = plain ]; then
  install dist/*.whl
  install pytest pytest-xdist hypothesis # no package of an extra, as a test checks
  export THRESHER_PLAIN=1
  [ $# -gt 0 ] || set -- tests/test_plain_installation.py tests/laws tests/docs/test_readme_commands.py tests/docs/test_documents.py
else
  install dist/*.whl --group test
fi
away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
cp -r tests scripts tutorials README.md CONTRIBUTING.md CHANGELOG.md docs "$away"
cp pyproject.toml mkdocs.yml "$away"
cd "$away"
if [ "${THRESHER_NATIVE:-}" = 1 ]; then THRESHER_KERNELS=native "$venv/bin/thresher" --version; fi
"$venv/bin/python" - "$top" <<'PY'
import sys, pathlib, thresher
here = pathlib.Path(thresher.__file__).resolve()
assert pathlib.Path(sys.argv[1], "src") not in here.parents, f"imported from the sources: {here}"
for name in ("py.typed", "components/__init__.pyi", "metrics/__init__.pyi", "pipelines/recipes/qa.yaml", "pipelines/recipes/rag.yaml", "datasets/demo/passages.jsonl", "datasets/demo/judged.yaml", "judges/recordings/demo.json.gz", "judges/probe_cases.json"):
    assert (here.parent / name).is_file(), f"the wheel lacks {name}"
for part in ("assets", "templates"):
    source = pathlib.Path(sys.argv[1], "src/thresher/reports/html", part)
    lacking = {path.name for path in source.iterdir()} - {path.name for path in (here.parent / "reports/html" / part).iterdir()}
    assert not lacking, f"the wheel lacks {lacking} of reports/html/{part}"
PY
"$venv/bin/thresher" demo --out demo > demo.txt
grep -q "The judge on the worst answer" demo.txt
"$venv/bin/thresher" compare demo/passages demo/sentences --format html -o demo.html
grep -q 'id="payload"' demo.html
# tests/docs/test_names.py looks up files of the repository, which a wheel does not have.
[ $# -gt 0 ] || set -- tests/laws tests/cli tests/pipelines tests/reports/test_evaluation_results.py tests/docs
"$venv/bin/pytest" -q -n auto --dist worksteal --ignore tests/docs/test_names.py "$@"
