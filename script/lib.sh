# Shared by the scripts: the virtual environment, made once and brought up to date when the requirements change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT=$PWD
VENV=$ROOT/.venv
PYTHON=$VENV/bin/python

find_python() {
  for candidate in "${LANEWISE_PYTHON:-}" python3.11 python3.12 python3.13 python3.14 python3 python; do
    [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 || continue
    if "$candidate" -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info < (3, 15)))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  echo "Lanewise needs Python 3.11 or newer; none was found. Set LANEWISE_PYTHON to one." >&2
  exit 1
}

# ensure_venv FILE: install FILE's packages unless exactly these are installed already.
ensure_venv() {
  if [ ! -x "$PYTHON" ]; then
    echo "Making the virtual environment in .venv"
    "$(find_python)" -m venv "$VENV"
  fi
  local stamp=$VENV/.installed-$1 wanted
  wanted=$(cat requirements.txt constraints.txt "$1" | sha256sum | cut -d' ' -f1)
  if [ "$(cat "$stamp" 2>/dev/null || true)" != "$wanted" ]; then
    echo "Installing $1"
    "$PYTHON" -m pip install --quiet --disable-pip-version-check -r "$1" -c constraints.txt
    echo "$wanted" >"$stamp"
  fi
}
