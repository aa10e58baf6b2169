"""The fragments of pipelines in the documents are what a pipeline may say, by the schema that the programs generate.

Each ```yaml block is checked against the part of docs/reference/pipeline.schema.json that its keys belong to: the file, a
dataset, `training`, an op of the graph. A block that has a `version` is a whole pipeline, with all that the schema requires;
ARCHITECTURE.md shows one. A block of another kind, such as a system configuration, says so before it:
`<!-- no pipeline: REASON -->`. The pipelines of the tree fit, too, and the schema still refuses what it can of the broken ones.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml

schema = json.loads(pathlib.Path("docs/reference/pipeline.schema.json").read_text())


class Reader(yaml.SafeLoader):
    """YAML as the programs read it: a date is a text, `on` too, 1e-3 a number."""


Reader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers
            if not tag.endswith(":timestamp") and (not tag.endswith(":bool") or first in "tTfF")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Reader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789"))


def optional(part):
    """A part of the schema in which no key has to be there; what is an alternative keeps its own."""
    part = copy.deepcopy(part)
    part.pop("required", None)
    return part


def rooms():
    """(name, schema) of what a fragment may be, the widest first."""
    file = optional(schema)
    parts = file["properties"]
    # A fragment shows some keys of a section.
    for name in ("preprocess", "training", "live", "retention"):
        for part in parts[name].get("anyOf", [parts[name]]):
            part.pop("required", None)
    dataset = parts["datasets"]["additionalProperties"]
    for part in dataset.get("anyOf", [dataset]):
        part.pop("required", None)
    yield "file", file
    yield "datasets", parts["datasets"]
    yield "dataset", dataset
    yield "training", parts["training"]
    yield "preprocess", parts["preprocess"]


ROOMS = list(rooms())


def fits(value, part):
    """None, or the first thing that the schema says against the value."""
    part = {**part, "definitions": schema.get("definitions", {})}
    errors = sorted(jsonschema.Draft7Validator(part).iter_errors(value), key=lambda error: -len(error.absolute_path))
    return errors and f"{'.'.join(map(str, errors[0].absolute_path))}: {errors[0].message[:300]}"


def kinds(part):
    return {key for option in part.get("anyOf", [part]) for key in option.get("properties", {})}


def check(text):
    """None, or what is wrong with a fragment."""
    # Sections at several depths are separate fragments.
    pieces = re.split(r"\n(?=\S)", text) if re.match(r"\s", text) else [text]
    for piece in pieces:
        value = yaml.load(re.sub(r"^ *\.\.\.\n", "", piece, flags=re.M).replace("[...]", "[label]"), Reader)
        if isinstance(value, dict) and "version" in value:
            part = schema
        elif isinstance(value, list):
            value, part = {"graph": value}, dict(ROOMS)["preprocess"]
        else:
            # The room that knows most of its keys; names of datasets are known to none.
            name, part = max(ROOMS, key=lambda room: len(kinds(room[1]) & set(value)))
            if not kinds(part) & set(value):
                part = dict(ROOMS)["datasets"]
            if name == "file" and len(value) > 1:
                for key, one in value.items():
                    if wrong := fits({key: one}, part):
                        return wrong
                continue
        if wrong := fits(value, part):
            return wrong
    return None


def pipelines():
    """(file, None or what is wrong) of each pipeline of the tree."""
    for name in subprocess.run(["git", "ls-files", "*.yaml"], capture_output=True, text=True, check=True).stdout.split():
        text = pathlib.Path(name).read_text() if pathlib.Path(name).exists() else ""
        try:
            value = yaml.load(text, Reader)
        except yaml.YAMLError:
            continue
        if isinstance(value, dict) and {"version", "preprocess"} <= set(value):
            yield name, fits(value, schema)


# At least this many of the pipelines in testdata/broken are wrong in their form, not in what they mean.
LEAST_REFUSED = 15


def main():
    problems, checked = [], 0
    refused = 0
    for name, wrong in pipelines():
        if "/broken/" in name:
            refused += bool(wrong)
        elif wrong:
            problems.append(f"{name}: {wrong}")
    if refused < LEAST_REFUSED:
        problems.append(f"docs/reference/pipeline.schema.json: refuses only {refused} of the broken pipelines")
    guides = sorted(pathlib.Path("docs").glob("guides/*.md"))
    for document in [*guides, pathlib.Path("docs/preprocess.md"), pathlib.Path("ARCHITECTURE.md")]:
        text = document.read_text()
        before = checked
        for block in re.finditer(r"^```yaml\n(.*?)^```$", text, re.M | re.S):
            if re.search(r"<!-- no pipeline: .* -->\n$", text[:block.start()]):
                continue
            checked += 1
            line = text[:block.start()].count("\n") + 2
            try:
                wrong = check(block.group(1))
            except yaml.YAMLError as error:
                wrong = error
            if wrong:
                problems.append(f"{document}:{line}: {wrong}")
        if document.name == "ARCHITECTURE.md" and checked == before:
            problems.append(f"{document}: no whole pipeline")
    print("\n".join(problems) or f"fragments: {checked} of the documents fit the schema")
    sys.exit(bool(problems) or not checked)


main()
