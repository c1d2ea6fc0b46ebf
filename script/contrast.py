"""Check every colour pair the pages use against WCAG 2.2 (1.4.3: 4.5:1 for text, 1.4.11: 3:1 for graphics).

python script/contrast.py            # prints a table, exits 1 on a failure
python script/contrast.py --markdown # the table for a document
"""

import re
import sys
from pathlib import Path

CSS = Path(__file__).resolve().parent.parent / "static" / "css"
PAGES = ["bg", "surface", "sunken", "canvas"]  # where plain text may stand
STATES = ["hover", "selected"]
MEANINGS = ["ok", "warn", "danger", "priv", "agent", "wall", "mute", "mark", "hit"]


def tokens(name):
    text = re.sub(r"/\*.*?\*/", "", (CSS / name).read_text(), flags=re.S)
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-fA-F]{6})\b", text))


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(a, b):
    hi, lo = sorted((luminance(a), luminance(b)), reverse=True)
    return (hi + 0.05) / (lo + 0.05)


def pairs():
    for fg in ("ink", "ink-2", "ink-3", "accent-ink", "danger-ink", "warn-ink", "ok-ink", "priv-ink", "agent-ink"):
        for bg in PAGES + STATES:
            yield fg, bg, 4.5
    yield "accent-ink", "accent-soft", 4.5
    yield "ink", "accent-soft", 4.5
    yield "ink-2", "accent-soft", 4.5
    yield "on-accent", "accent", 4.5
    yield "on-accent", "accent-hover", 4.5
    yield "on-danger", "danger", 4.5
    for m in MEANINGS:
        yield f"{m}-ink", f"{m}-soft", 4.5
    for m in ("ok", "warn", "danger"):
        yield "ink", f"{m}-soft", 4.5
        yield "ink-2", f"{m}-soft", 4.5
        yield f"{m}-dot", "surface", 3
        yield f"{m}-dot", f"{m}-soft", 3
    for fg in ("line-strong", "focus", "accent"):
        for bg in PAGES + STATES:
            yield fg, bg, 3
    yield "mark-line", "surface", 3
    yield "mark-line", "mark-soft", 3
    yield "derived-line", "surface", 3
    for n in range(1, 9):
        for bg in ("surface", "canvas", "bg", "hover", "selected"):
            yield f"lane-{n}", bg, 3
    for fg in ("edge-strong", "knot"):
        yield fg, "canvas", 3


def main():
    light = tokens("tokens.css")
    dark = {**light, **tokens("tokens-dark.css")}
    failed = 0
    rows = []
    for fg, bg, need in pairs():
        a, b = ratio(light[fg], light[bg]), ratio(dark[fg], dark[bg])
        ok = min(a, b) >= need
        failed += not ok
        rows.append((fg, bg, need, a, b, ok))
    if "--markdown" in sys.argv:
        print("| on | what | needs | light | dark |\n|---|---|---|---|---|")
        for fg, bg, need, a, b, _ in rows:
            print(f"| {bg} | {fg} | {need} | {a:.1f} | {b:.1f} |")
    else:
        for fg, bg, need, a, b, ok in rows:
            print(f"{'ok  ' if ok else 'FAIL'} {fg:14} on {bg:12} needs {need:<4} light {a:5.2f}  dark {b:5.2f}")
        print(f"{len(rows)} pairs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
