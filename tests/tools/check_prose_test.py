"""A turn of phrase is found in comments, documents, messages and names of tests, with its place, and nowhere else.

usage: check_prose_test.py CHECK_PROSE
"""
import pathlib
import subprocess
import sys
import tempfile

PATTERNS = """\
left_out:
  - {file: ^old/, reason: written before}
patterns:
  - name: behind
    pattern: '(?<!far )\\bbehind\\b'
    instead: '"after"'
    allow:
      - {file: allowed, text: a clock, reason: a clock can be behind}
  - name: many words
    pattern: '\\btwo words\\b'
    instead: one
    in: [comments]
"""
FILES = {
    "a.cc": """\
// A comment with two
// words, and far behind; a row behind a row.
int behind = 1;  // A name of the code is not prose.
const char* text = "a row "
                   "behind it, two words";
TEST(Rows, ComeBehindOthers) {}
""",
    "b.md": "A paragraph that breaks\nbehind this line.\n\n```\nbehind in code\n```\n",
    "c.py": 'a = "x"  # behind\n',
    "d.proto": "// One, behind\n//\n// another paragraph.\nmessage Behind {}\n",
    "allowed.md": "a clock behind another\n",
    "old/e.md": "behind\n",
    "f.txt": "behind\n",
}
FOUND = """\
a.cc:1: "two words" (many words): one
a.cc:2: "behind" (behind): "after"
a.cc:5: "behind" (behind): "after"
a.cc:6: "behind" (behind): "after"
b.md:2: "behind" (behind): "after"
c.py:1: "behind" (behind): "after"
d.proto:1: "behind" (behind): "after"
"""

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    patterns = root / "patterns"
    patterns.write_text(PATTERNS)
    found = subprocess.run([sys.executable, sys.argv[1], "--patterns", patterns, root], capture_output=True, text=True)
    if sorted(found.stdout.splitlines()) != FOUND.splitlines() or found.returncode != 1:
        sys.exit(f"found, with exit code {found.returncode}:\n{found.stdout}{found.stderr}\ninstead of:\n{FOUND}")
    for name in FILES:
        if not name.startswith(("allowed", "old", "f.")):
            (root / name).unlink()
    clean = subprocess.run([sys.executable, sys.argv[1], "--patterns", patterns, root], capture_output=True, text=True)
    if clean.returncode != 0:
        sys.exit(f"clean files are refused:\n{clean.stdout}{clean.stderr}")
print("each phrase is found at its place")
