"""Turns of phrase that the prose of this tree avoids, each with what to write instead.

usage: check_prose.py [--counts] [FOLDER]
The patterns are data: tools/prose/patterns.yaml. They are searched for in what people read: comments, Markdown, messages
(string literals) and the names of tests. --counts prints the number of hits of each pattern, and passes.
"""
import argparse
import bisect
import os
import pathlib
import re
import subprocess
import sys

import yaml

C_LIKE = re.compile(r"""
    (?P<comments>(?://[^\n]*(?:\n[ \t]*(?=//))?)+|/\*.*?\*/)
  | (?P<messages>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|(?:"(?:\\.|[^"\\\n])*"\s*)+)
  | '(?:\\.|[^'\\\n])'
  | \b(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\w+,\s*(?P<tests>\w+)
""", re.X | re.S)
SCRIPT = re.compile(r"""
    (?P<comments>(?:\#[^\n]*(?:\n[ \t]*(?=\#))?)+)
  | (?P<messages>\"\"\".*?\"\"\"|(?:[rbf]*"(?:\\.|[^"\\\n])*"\s*)+|'(?:\\.|[^'\\\n])*')
""", re.X | re.S)
SQL = re.compile(r"(?P<comments>(?:--[^\n]*(?:\n[ \t]*(?=--))?)+)")
SHELL = re.compile(r"(?m)(?:^|\s)(?P<comments>(?:\#[^\n]*(?:\n[ \t]*(?=\#))?)+)|(?P<messages>\"(?:\\.|[^\"\\])*\"|'[^']*')")
WHOLE = re.compile(r"(?P<comments>.+)", re.S)
MARKDOWN = re.compile(r"(?P<markdown>.+)", re.S)
PARTS = {".h": C_LIKE, ".cc": C_LIKE, ".hpp": C_LIKE, ".cpp": C_LIKE, ".proto": C_LIKE, ".js": C_LIKE, ".py": SCRIPT,
         ".sql": SQL, ".sh": SHELL, ".cmake": SHELL, ".yaml": WHOLE, ".md": MARKDOWN, "CMakeLists.txt": SHELL}


def parts(name, text):
    """(kind, offset, text) of what people read in a file."""
    for match in PARTS[suffix(name)].finditer(text):
        kind = match.lastgroup if match.lastgroup != "mark" else "messages"
        if kind:
            yield kind, match.start(kind), match.group(kind)


def suffix(name):
    return "CMakeLists.txt" if name.endswith("CMakeLists.txt") else pathlib.Path(name).suffix


def blank(match):
    return " " * len(match.group())


def flat(kind, text):
    """The text on one line, as long as before: what stands between the lines of a comment or of a literal becomes spaces."""
    if kind == "tests":
        return text
    if kind == "markdown":
        text = re.sub(r"(?ms)^```.*?^```", blank, text)
        text = re.sub(r"\n\s*\n", lambda match: "\n" * len(match.group()), text)
        return re.sub(r"(?<!\n)\n(?!\n)[ \t]*", blank, text)
    if kind == "messages":
        return re.sub(r'"\s*\n\s*[rbf]*"', blank, text).replace("\n", " ")
    text = re.sub(r"\n[ \t]*(?://|#|--)[ \t]*(?=\n|$)", lambda match: "\n" * len(match.group()), text)
    return re.sub(r"\n[ \t]*(?://|#|--|\*)", blank, text)


def squeezed(text):
    return re.sub(" {2,}", " ", text)


def place(text, at):
    """The offset in a text of what is at `at` when every run of spaces is one space."""
    for run in re.finditer(" {2,}", text):
        if run.start() >= at:
            break
        at += len(run.group()) - 1
    return at


def sentence(name):
    """The name of a test as words: ALateRowIsCounted -> a late row is counted."""
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)).lower()


class Pattern:
    def __init__(self, data):
        self.name = data["name"]
        self.advice = data["instead"]
        self.where = data.get("in", ["comments", "markdown", "messages", "tests"])
        self.regex = re.compile(data["pattern"], re.M)
        self.in_tests = re.compile(data["pattern"], re.I)
        self.allowed = data.get("allow", [])
        for one in self.allowed:
            one["used"] = False

    def allows(self, file, around):
        for one in self.allowed:
            if re.search(one.get("file", ""), file) and one.get("text", "") in around:
                one["used"] = True
                return True
        return False

    def may_hit(self, kind, text):
        return kind in self.where and (kind == "tests" or self.regex.search(text) is not None)

    def hits(self, file, kind, text):
        """(offset, words) of each hit in one part of a file."""
        if kind not in self.where:
            return
        if kind == "tests":
            if match := self.in_tests.search(sentence(text)):
                if not self.allows(file, text):
                    yield 0, match.group()
            return
        for match in self.regex.finditer(text):
            around = " ".join(text[max(0, match.start() - 120):match.end() + 120].split())
            if not self.allows(file, around):
                yield match.start(), " ".join(match.group().split())


def tracked(folder):
    names = subprocess.run(["git", "-C", folder, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if names.returncode == 0:
        return names.stdout.split("\n")
    return [os.path.relpath(path, folder) for path in pathlib.Path(folder).rglob("*") if path.is_file()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--patterns", default=pathlib.Path(__file__).parent / "prose" / "patterns.yaml", type=pathlib.Path)
    parser.add_argument("folder", nargs="?", default=".")
    options = parser.parse_args()
    rules = yaml.safe_load(options.patterns.read_text())
    patterns = [Pattern(data) for data in rules["patterns"]]
    left_out = [re.compile(one["file"]) for one in rules["left_out"]]

    problems, counts, files = [], {pattern.name: 0 for pattern in patterns}, 0
    for name in sorted(tracked(options.folder)):
        path = pathlib.Path(options.folder, name)
        if suffix(name) not in PARTS or any(one.search(name) for one in left_out) or not path.is_file():
            continue
        files += 1
        text = path.read_text(errors="replace")
        starts = [0] + [match.end() for match in re.finditer("\n", text)]
        found = [(kind, offset, flat(kind, part)) for kind, offset, part in parts(name, text)]
        # A pattern that is nowhere in a file is not looked for in each of its parts.
        whole = {kind: squeezed("\n".join(part for other, _, part in found if other == kind))
                 for kind in {kind for kind, _, _ in found}}
        for pattern in patterns:
            wanted = {kind for kind, all_of_it in whole.items() if pattern.may_hit(kind, all_of_it)}
            for kind, offset, part in found:
                if kind not in wanted:
                    continue
                for at, words in pattern.hits(name, kind, squeezed(part)):
                    counts[pattern.name] += 1
                    number = bisect.bisect_right(starts, offset + place(part, at))
                    problems.append(f"{name}:{number}: \"{words}\" ({pattern.name}): {pattern.advice}")
    if options.counts:
        print("\n".join(f"{count:5} {name}" for name, count in counts.items()))
        return 0
    for pattern in patterns:
        for one in pattern.allowed:
            if not one["used"] and options.folder == ".":
                problems.append(f"{options.patterns}: {pattern.name} allows what nobody writes any more: {one}")
    print("\n".join(problems) or f"prose: {files} files keep to {len(patterns)} patterns")
    return bool(problems)


sys.exit(main())
