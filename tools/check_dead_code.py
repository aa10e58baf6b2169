"""Fails when no program reaches a function, class, constant or macro: what tests alone use is dead, too.

The sources are read without a compiler. Each definition is a node. A name in an alive node makes everything
alive that has this name and that its file can see: what the file includes, or anything for a name in a header,
since a template calls what it has not seen. Overrides, constructors and operators live with their class. So
nothing alive is reported, but code with the name of something alive may hide. Code that stays although no program reaches it is
listed in tools/kept_code.txt, each line with its reason.
"""
import collections
import pathlib
import re
import subprocess
import sys

UNNAMED = "(unnamed)"
ROOTS = {"main", UNNAMED}
# Names that the language, the standard library or another library calls.
CALLED_BY_OTHERS = {"AbslHashValue", "AbslStringify", "PrintTo", "begin", "end", "size", "data", "empty", "format_as", "from_json",
                    "to_json", "parse", "format", "lock", "unlock", "try_lock", "what", "get_value", "value_type",
                    "iterator_category", "difference_type", "pointer", "reference", "rbegin", "rend", "is_transparent",
                    "max", "min", "result_type", "promise_type", "allocate", "deallocate", "iterator", "const_iterator"}
TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|\[\[|\]\]|&&|[^\s\w]|\d[\w.']*")
WORD = re.compile(r"[A-Za-z_]\w*\Z")
KEYWORDS = set("""alignas alignof and auto bool break case char char8_t char16_t char32_t class concept const consteval constexpr
    constinit const_cast continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum explicit
    export extern false final float for friend goto if inline int int8_t long mutable namespace new noexcept not nullptr
    operator or override private protected public register reinterpret_cast requires return short signed sizeof static
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using
    virtual void volatile wchar_t while std""".split())


def is_test(name):
    return (name.endswith("_test.cc") or "/testing/" in name or name.split("/")[0] in {"tests", "benchmarks"})


def stripped(text):
    """`text` without comments, with empty literals, and lines that end in a backslash joined."""
    text = text.replace("\\\n", " ")
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'', re.S)
    return pattern.sub(lambda found: " " if found[0].startswith("/") else '""', text)


class Node:
    """One definition or declaration."""

    def __init__(self, file, line, owner, name, special=False):
        self.file, self.line, self.owner, self.name, self.special = file, line, owner, name, special
        self.words = set()
        self.enumerators = ()  # Names of an enum that stand for it.


def lines_and_tokens(text):
    line = 1
    position = 0
    for found in TOKEN.finditer(text):
        line += text.count("\n", position, found.start())
        position = found.start()
        yield line, found[0]


class Parser:
    """Nodes of one file."""

    def __init__(self, file, text):
        self.file = file
        self.nodes = []
        self.includes = []
        code = []
        for number, line in enumerate(stripped(text).split("\n"), 1):
            if line.lstrip().startswith("#"):
                self.preprocessor(number, line)
                line = ""
            code.append(line)
        for number, found in enumerate(text.split("\n"), 1):
            if found.startswith("#include \""):
                self.includes.append(found.split('"')[1])
        self.tokens = list(lines_and_tokens("\n".join(code)))
        self.at = 0
        self.scope(None)

    def preprocessor(self, number, line):
        found = re.match(r"\s*#\s*define\s+(\w+)(.*)", line)
        if found and self.file.endswith(".h"):
            node = Node(self.file, number, None, found[1])
            node.words = set(re.findall(r"[A-Za-z_]\w*", found[2]))
            self.nodes.append(node)

    def scope(self, owner):
        """Statements up to the brace that closes the scope of `owner`, a class's node or nothing."""
        statement = []
        while self.at < len(self.tokens):
            line, token = self.tokens[self.at]
            self.at += 1
            if token == "}":
                if statement:  # A macro that defines something, such as TIDEMILL_PART: it has no semicolon.
                    self.statement(owner, statement, [])
                return
            if token == ";":
                self.statement(owner, statement, [])
                statement = []
            elif token == ":" and len(statement) == 1 and statement[0][1] in {"public", "private", "protected"}:
                statement = []
            elif token == "{":
                statement = self.brace(owner, statement)
            elif token in "([":
                statement.append((line, token))
                statement += self.balanced(token, {"(": ")", "[": "]"}[token])
            else:
                statement.append((line, token))

    def balanced(self, opening, closing):
        """The tokens up to what closes `opening`, with it."""
        inside = []
        depth = 1
        while self.at < len(self.tokens) and depth:
            inside.append(self.tokens[self.at])
            token = self.tokens[self.at][1]
            self.at += 1
            depth += (token == opening) - (token == closing)
        return inside

    def brace(self, owner, statement):
        """Handles the brace after `statement`. Returns the beginning of the statement that continues after it."""
        words = [token for _, token in statement]
        bare = without_templates(words)
        if "namespace" in bare[:2] or bare[:1] == ["extern"] and len(bare) == 2 + (bare[1:2] == ['"']):
            self.scope(None)
            return []
        kind = next((word for word in bare if word in {"class", "struct", "union", "enum"}), None)
        if kind and "(" not in without_attributes(bare) and "=" not in bare:
            node = self.declared(owner, statement, class_name(without_attributes(bare)))
            if kind == "enum":
                inside = {token for _, token in self.balanced("{", "}") if WORD.match(token)}
                node.words |= inside
                if not {"class", "struct"} & set(bare):
                    node.enumerators = inside
            else:
                self.scope(node)
            return []
        # A body or an initialiser.
        inside = [(self.tokens[self.at - 1][0], "{"), *self.balanced("{", "}")]
        whole = statement + inside
        rest = self.tokens[self.at][1] if self.at < len(self.tokens) else ""
        if "(" in bare and ("=" not in top_level(bare) or "operator" in bare) and rest not in {",", ";", ")", "{"}:
            self.statement(owner, statement, inside)
            return []
        return whole

    def declared(self, owner, statement, name):
        node = Node(self.file, statement[0][0], owner.name if owner else None, name)
        node.words = {token for _, token in statement if WORD.match(token)}
        self.nodes.append(node)
        return node

    def statement(self, owner, statement, body):
        words = [token for _, token in statement]
        if not words:
            return
        bare = without_templates(words)
        names = set(words) | {token for _, token in body}
        names = {word for word in names if WORD.match(word)}
        name, qualifier, special = declared_name(bare)
        if "maybe_unused" in words and not owner:
            name = None  # Its initialiser is what it is for.
        if name is None or owner and (special or name in {owner.name, "friend"}):
            if owner:
                owner.words |= names
            else:
                # A special member, or nothing that has a name: a static_assert, what a macro makes.
                node = Node(self.file, statement[0][0], None, qualifier or UNNAMED, True)
                node.words = names
                self.nodes.append(node)
            return
        if owner and "(" not in bare and "static" not in bare and bare[0] != "using":
            owner.words |= names  # A data member.
            return
        of = owner.name if owner else qualifier
        if of == name and qualifier:
            of = None
            special = True
        node = Node(self.file, statement[0][0], of, name, special)
        node.words = names
        self.nodes.append(node)


def without_templates(words):
    """`words` without a leading template<...> and attributes."""
    out = list(words)
    while out:
        if out[0] == "template" and len(out) > 1 and out[1] == "<":
            depth = 0
            for i, word in enumerate(out[1:], 1):
                depth += (word == "<") - (word == ">")
                if depth == 0:
                    break
            out = out[i + 1:]
            if out[:1] == ["requires"]:
                # A constraint ends where a type begins: kept, it only adds words.
                out = out[1:]
        elif out[0] == "[" and out[1:2] == ["["] or out[0] == "[[":
            end = next((i for i, word in enumerate(out) if word in {"]]"}), None)
            if end is None:
                end = out.index("]") + 1
            out = out[end + 1:]
        else:
            return out
    return out


def without_attributes(words):
    """`words` without alignas(...) and macros with arguments."""
    out, i = [], 0
    while i < len(words):
        if words[i + 1:i + 2] == ["("] and (words[i] == "alignas" or words[i].isupper()):
            depth = 0
            while True:
                i += 1
                depth += (words[i] == "(") - (words[i] == ")")
                if depth == 0:
                    break
        else:
            out.append(words[i])
        i += 1
    return out


def top_level(words):
    """`words` outside of parentheses and brackets."""
    out, depth = [], 0
    for word in words:
        depth -= word in {")", "]", "}"}
        if depth == 0:
            out.append(word)
        depth += word in {"(", "[", "{"}
    return out


def class_name(words):
    at = next(i for i, word in enumerate(words) if word in {"class", "struct", "union", "enum"})
    rest = [word for word in words[at + 1:] if word not in {"class", "struct", "final", "alignas"}]
    for i, word in enumerate(rest):
        if WORD.match(word) and not word.startswith("ABSL_") and not (rest[i + 1:i + 2] and rest[i + 1] in {"(", "::"}):
            return word
    return "(anonymous)"


def declared_name(words):
    """(name, the class it is qualified with, whether it is a special member) of a declaration; no name for none."""
    if words[0] in {"friend", "static_assert", "public", "private", "protected", "namespace"}:
        return None, None, False
    if words[0] == "using":
        if "=" in words:
            return words[1], None, False
        return None, None, False
    if words[0] == "typedef":
        return next(word for word in reversed(words) if WORD.match(word)), None, False
    if words[0] in {"class", "struct", "enum", "union"} and len(words) <= 4 and "(" not in words and "=" not in words:
        return None, None, False  # A forward declaration.
    if words[0] == "concept":
        return words[1], None, False
    if "operator" in words:
        at = words.index("operator")
        return None, words[at - 2] if at > 1 and words[at - 1] == "::" else None, True
    depth = 0
    last = None
    for i, word in enumerate(words):
        if word == "<" and last is not None:
            depth += 1
        elif word == ">" and depth:
            depth -= 1
        elif depth:
            continue
        elif word in {"(", "=", "[", "{", ":"}:
            if word == "(" and last is not None and words[last].isupper() and len(words[last]) > 3:
                if "_BY" in words[last] or words[last].startswith("ABSL"):
                    before = [w for w in words[:last] if WORD.match(w)]
                    return (before[-1] if before else None), None, False
            break
        elif WORD.match(word):
            if word in KEYWORDS and word not in {"default", "delete"}:
                continue
            last = i
    if last is None:
        return None, None, False
    name = words[last]
    if name.isupper() and last == 0:
        return None, None, False  # A macro that declares.
    special = "override" in words or "final" in words[last:]
    qualifier = None
    if last and words[last - 1] == "~":
        special = True
        qualifier = words[last]
    elif last > 1 and words[last - 1] == "::":
        before = last - 2
        if words[before] == ">":
            level = 0
            while before >= 0:
                level += (words[before] == ">") - (words[before] == "<")
                if level == 0:
                    break
                before -= 1
            before -= 1
        qualifier = words[before] if WORD.match(words[before]) else None
    return name, qualifier, special


class Tree:
    """All nodes, and what can see what."""

    def __init__(self, files):
        self.parsed = {name: Parser(name, pathlib.Path(name).read_text()) for name in files}
        self.closures = {}
        # Entity: (file that declares it, owner, name).
        self.entities = collections.defaultdict(list)
        self.by_name = collections.defaultdict(set)
        self.members = collections.defaultdict(set)
        headers = [name for name in files if name.endswith(".h")]
        for name in headers:
            for node in self.parsed[name].nodes:
                self.add((name, node.owner, node.name), node)
        for name in files:
            if name not in headers:
                own = collections.defaultdict(list)
                for node in self.parsed[name].nodes:
                    own[node.owner, node.name].append(node)
                for (owner, word), nodes in own.items():
                    self.place(name, owner, word, nodes)

    def place(self, name, owner, word, nodes):
        """Definitions of a source belong to the header that declares them, or to the source."""
        keys = [key for key in self.by_name[word] if key[1] == owner and key[0].endswith(".h") and key[0] in self.closure(name)]
        if not keys:
            # A constructor, an operator or an override belongs to its class.
            of = owner or nodes[0].special and word
            keys = [key for key in self.by_name[of] if key[0] in self.closure(name)] if of else []
        for node in nodes:
            for key in keys or [(name, owner, word)]:
                self.add(key, node)

    def add(self, key, node):
        self.entities[key].append(node)
        for name in (key[2], *node.enumerators):
            self.by_name[name].add(key)
        if key[1]:
            self.members[key[0], key[1]].add(key)

    def closure(self, name):
        """All files that `name` includes, itself among them."""
        if name not in self.closures:
            seen, todo = {name}, [name]
            while todo:
                for include in self.parsed[todo.pop()].includes:
                    if include in self.parsed and include not in seen:
                        seen.add(include)
                        todo.append(include)
            self.closures[name] = seen
        return self.closures[name]

    def reach(self, more_roots):
        """The entities that programs or `more_roots` reach."""
        alive = set()
        todo = [key for root in ROOTS for key in self.by_name[root]] + list(more_roots)
        todo += [(file, None, owner) for file, owner, _ in more_roots if owner]
        waiting = collections.defaultdict(set)  # Members that are named while their class is not.
        while todo:
            key = todo.pop()
            if key in alive or key not in self.entities:
                continue
            file, owner, _ = key
            classes = [(file, None, owner)] + [k for k in self.by_name[owner] if k[0] == file] if owner else []
            classes = [k for k in classes if k in self.entities]
            if classes and not any(k in alive for k in classes):
                for k in classes:
                    waiting[k].add(key)
                continue
            alive.add(key)
            todo += waiting.pop(key, ())
            for member in self.members[file, key[2]]:
                if member[2] in CALLED_BY_OTHERS or any(node.special for node in self.entities[member]):
                    todo.append(member)
            # A member of a class template is a template.
            is_template = any("template" in node.words for k in classes for node in self.entities[k])
            for node in self.entities[key]:
                is_open = is_template or "template" in node.words or "auto" in node.words and node.file.endswith(".h")
                sees = None if is_open else self.closure(node.file)
                for word in node.words:
                    if word in self.by_name:
                        todo += [k for k in self.by_name[word] if k not in alive and (sees is None or k[0] in sees)]
        return alive


    def names_of(self, key):
        """What a line of tools/kept_code.txt may call an entity: itself, its file, its class or a folder."""
        file, owner, name = key
        folders = {f"{parent}/" for parent in pathlib.PurePosixPath(file).parents}
        return {f"{owner}::{name}" if owner else name, file, owner} | folders


def report(tree, kept):
    """The problems, each with its place."""
    dead = set(tree.entities) - tree.reach(set())
    kept_keys = {key for key in dead if tree.names_of(key) & kept}
    used = {name for key in kept_keys for name in tree.names_of(key)}
    problems = [f"tools/kept_code.txt: {name} is reached, or gone" for name in kept - used if not name.endswith("/")]
    dead = set(tree.entities) - tree.reach(kept_keys)
    for key in sorted(dead, key=lambda key: (key[0], tree.entities[key][0].line)):
        file, owner, name = key
        if owner and any(k not in kept_keys for k in tree.by_name[owner] & dead if k[0] == file):
            continue  # Its class is reported.
        full = f"{owner}::{name}" if owner else name
        problems.append(f"{file}:{tree.entities[key][0].line}: no program reaches {full}: delete it, or say in "
                        "tools/kept_code.txt why it stays")
    return problems


def main():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cc"], capture_output=True, text=True,
                            check=True).stdout.split()
    files = [name for name in listed if not is_test(name) and pathlib.Path(name).exists()]
    lines = pathlib.Path("tools/kept_code.txt").read_text().splitlines()
    kept = {line.partition(": ")[0] for line in lines if line and not line.startswith("#")}
    tree = Tree(files)
    problems = report(tree, kept)
    print("\n".join(problems) or f"dead code: none among {len(tree.entities)} definitions in {len(files)} files")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
