"""Pieces of HTML that look like the report (cli/run_directory/web): self-contained, without scripts."""
from __future__ import annotations

import html
from collections.abc import Sequence

# As in report.css.
_STYLE = """<style>
.tidemill { --page: #ffffff; --soft: #f4f6f8; --ink: #1c2229; --muted: #596470; --line: #d5dbe1; --use: #0a62c2;
  --good: #1b7a3d; --bad: #b3261e; --first: #c4560a; color: var(--ink); background: var(--page);
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; padding: 4px; }
.tidemill p { margin: 4px 0; } .tidemill .note { color: var(--muted); font-size: 13px; }
.tidemill b.state { font-size: 12px; padding: 1px 8px; border: 1px solid currentColor; border-radius: 12px; }
.tidemill .succeeded { color: var(--good); } .tidemill .failed { color: var(--bad); }
.tidemill .running, .tidemill .stopped { color: var(--first); }
.tidemill .scroll { overflow: auto; max-width: 100%; }
.tidemill table.plain { border-collapse: separate; border-spacing: 0; font-size: 13px; font-variant-numeric: tabular-nums; }
.tidemill table.plain th, .tidemill table.plain td { padding: 3px 10px; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--line); color: var(--ink); background: var(--page); }
.tidemill table.plain th { font-weight: 600; background: var(--soft); }
.tidemill svg text { font: 11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: var(--ink); }
.tidemill svg .muted { fill: var(--muted); }
</style>"""

# As in matrix.js: from the worst value to the best.
RAMP = ((255, 250, 214), (218, 240, 190), (150, 215, 190), (80, 182, 198), (38, 140, 190), (36, 90, 165), (26, 44, 110))
SEEN = "#ff2e97"


def page(*pieces: str) -> str:
    """The pieces with their style."""
    return f'{_STYLE}<div class="tidemill">{"".join(pieces)}</div>'


def escaped(text: str) -> str:
    """Text that may have anything in it."""
    return html.escape(text, quote=True)


def paragraph(text: str, kind: str = "") -> str:
    """One paragraph of text."""
    return f'<p class="{kind}">{escaped(text)}</p>' if kind else f"<p>{escaped(text)}</p>"


def table(names: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> str:
    """Rows of text below their names."""
    head = "".join(f"<th>{escaped(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    scroll = f'<div class="scroll"><table class="plain"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    return scroll + (paragraph(note, "note") if note else "")


def ramp_colour(share: float) -> tuple[int, int, int]:
    """The colour of a value, from 0 for the worst to 1 for the best."""
    place = min(0.9999, max(0.0, share)) * (len(RAMP) - 1)
    at = int(place)
    red, green, blue = (round(low + (high - low) * (place - at)) for low, high in zip(RAMP[at], RAMP[at + 1]))
    return red, green, blue


def ink_on(colour: tuple[int, int, int]) -> str:
    """Black or white, whichever is read better."""
    red, green, blue = (level / 3294.6 if level <= 10 else ((level / 255 + 0.055) / 1.055) ** 2.4 for level in colour)
    return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "#ffffff"


def hexadecimal(colour: tuple[int, int, int]) -> str:
    """A colour of CSS."""
    return "#{:02x}{:02x}{:02x}".format(*colour)
