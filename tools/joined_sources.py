"""Joins units of a build into few sources, so that clang-tidy reads the headers they share once.

Most of the time that clang-tidy takes goes into headers. A joined source includes units of many targets. Units that
give one name of a namespace two meanings are kept apart, as far as that can be read from their text; where the
compiler still finds one, a unit has to be looked at alone.
"""
import json
import pathlib
import re
import shlex
import shutil

# The size of a joined source: more saves little time and costs memory.
MOST_BYTES = 250_000
# Names with their own place: what a source of ours can define but another must not.
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{")
DEFINITIONS = (
    # A function, or a variable with its value.
    re.compile(r"^(?!using|return|namespace|#|//|template|TEST|class|struct|enum)[\w:<>,&*\s\[\]]*?[\s&*](\w+)(?:\(|\{| =|\[|;)"),
    re.compile(r"^(?:class|struct|enum class|enum|union) (?:ABSL_\w+ |alignas\(\w+\) )?(\w+)"),
    re.compile(r"^(?:using|namespace) (\w+) ="),
    re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST|MATCHER|MATCHER_P|MATCHER_P2)\((\w+)"),
    re.compile(r"^#define (\w+)"),
)
# The same again means the same.
USING = re.compile(r"^using ((?:[\w]+::|::)+(\w+));")
# Each program has a main().
INCLUDED = """#define main MainOf{place}  // NOLINT
#include "{path}"
#undef main
"""


class Unit:
    """A source that the build compiles, with how it does, and the names it defines."""

    def __init__(self, path: str, entry: dict, sources: list[str]):
        """`entry`: that of compile_commands.json."""
        self.path, self.entry, self.folder, self.sources = path, entry, entry["directory"], sources
        self.words = shlex.split(entry["command"])
        # C is not C++.
        self.is_alone = path.endswith(".c")
        self.has_torch = any("torch" in word for word in self.words)
        self.names: dict[str, str] = {}
        self.size = 0
        for source in sources:
            self.read(source)

    def read(self, source: str) -> None:
        text = pathlib.Path(source).read_text(encoding="utf-8")
        self.size += len(text)
        namespace = ""
        for line in text.splitlines():
            if found := NAMESPACE.match(line):
                namespace = found.group(1)
            elif line.startswith("}  // namespace "):
                namespace = ""
            if line[:1] in ("", " ", "/", "}"):
                continue
            if found := USING.match(line):
                self.names[f"{namespace} {found.group(2)}"] = found.group(1).lstrip(":")
            for pattern in DEFINITIONS:
                if (found := pattern.match(line)) and found.group(1) != "main":
                    self.names[f"{namespace} {found.group(1)}"] = self.path

    def options(self) -> list[tuple[str, ...]]:
        """Definitions, folders of headers and warnings: what may differ between units of a joined source."""
        taken: list[tuple[str, ...]] = []
        words = iter(self.words[1:])
        for word in words:
            if word in ("-isystem", "-idirafter"):
                taken.append((word, next(words)))
            elif word[:2] in ("-I", "-D", "-W"):
                taken.append((word,))
        return taken


class Joined:
    """Units that are looked at as one."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self.names: dict[str, str] = {}
        self.size = 0

    def fits(self, unit: Unit) -> bool:
        if not self.units:
            return True
        first = self.units[0]
        if self.size + unit.size > MOST_BYTES or first.has_torch != unit.has_torch or first.is_alone or unit.is_alone:
            return False
        return all(self.names.get(name, meaning) == meaning for name, meaning in unit.names.items())

    def cost(self) -> int:
        """Grows with the time that clang-tidy takes."""
        return self.size + (200_000 if self.units[0].has_torch else 0)

    def add(self, unit: Unit) -> None:
        self.units.append(unit)
        self.names.update(unit.names)
        self.size += unit.size


def join(units: list[Unit]) -> list[Joined]:
    """Units in the order of their folders, as neighbours share most headers, each into the first that takes it."""
    joined: list[Joined] = []
    for unit in sorted(units, key=lambda one: one.sources):
        place = next((one for one in joined if one.fits(unit)), None)
        if place is None:
            place = Joined()
            joined.append(place)
        place.add(unit)
    return joined


def options_of(units: list[Unit]) -> list[str]:
    """All options of all units. The first of two definitions counts: they are places of files, which are not opened here."""
    options = dict.fromkeys(option for unit in units for option in unit.options())
    defined: dict[str, str] = {}
    for option in options:
        if option[0].startswith("-D"):
            defined.setdefault(option[0].partition("=")[0], option[0])
    return [word for option in options for word in option
            if not word.startswith("-D") or defined[word.partition("=")[0]] == word]


def write_source(units: list[Unit], path: pathlib.Path) -> None:
    path.write_text("".join(INCLUDED.format(place=place, path=unit.path) for place, unit in enumerate(units)), encoding="utf-8")


def write(joined: list[Joined], folder: pathlib.Path) -> list[pathlib.Path]:
    """Writes the sources and their compile_commands.json into a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    paths, entries = [], []
    for number, one in enumerate(joined):
        path = folder / f"joined_{number}.cc"
        write_source(one.units, path)
        # A main() needs no return, and has another name here.
        arguments = ["c++", "-std=gnu++20", *options_of(one.units), "-Wno-return-type", "-c", str(path)]
        entries.append({"directory": one.units[0].folder, "file": str(path), "arguments": arguments})
        paths.append(path)
    (folder / "compile_commands.json").write_text(json.dumps(entries, indent=1), encoding="utf-8")
    return paths
