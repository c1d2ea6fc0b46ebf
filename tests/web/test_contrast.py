"""Colours: every pair the pages use reaches WCAG 2.2 AA in both themes."""

import subprocess
import sys
from pathlib import Path


def test_every_colour_pair_is_readable() -> None:
    script = Path(__file__).resolve().parents[2] / "script" / "contrast.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
