#!/usr/bin/env bash
# Print the path of a working interpreter of the given version, such as 3.13; fail if there is none.
# A shim on PATH may exist without its version being selected, so each candidate is run.
set -euo pipefail
pyenv=$(pyenv root 2> /dev/null || true)
for candidate in "$(command -v "python$1" || true)" "${pyenv:-/nowhere}/versions/$1".*/bin/python; do
  if [ -n "$candidate" ] && "$candidate" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2> /dev/null; then
    echo "$candidate"
    exit 0
  fi
done
exit 1
