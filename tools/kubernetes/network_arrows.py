"""Which process of the stack calls which, by the sources: `called(...)` returns pairs of names such as (selector, storage)."""
import pathlib
import re

# The folders of what runs in the pods of a service, its jobs included.
FOLDERS = {
    "storage": ["storage"], "selector": ["selector"], "model-store": ["model_store"], "supervisor": ["supervisor"],
    "preprocess": ["preprocess/dispatcher"], "preprocess-worker": ["preprocess/worker"],
    "trainer-server": ["trainer_server"], "evaluator": ["evaluator"],
}
# What is called at an address that another service has told: consumers call the workers, the supervisor the evaluators.
TOLD = {("trainer-server", "preprocess-worker"), ("evaluator", "preprocess-worker"),
        ("supervisor", "evaluator"), ("supervisor", "trainer-server")}
# Users' commands; `tests/e2e` runs them against every service.
COMMAND = "cli"


def _sources(folder: str):
    for path in pathlib.Path(folder).rglob("*.cc"):
        if "testing" not in path.parts and not path.name.endswith(("_test.cc", "_bench.cc")):
            yield path.read_text()


def called() -> set[tuple[str, str]]:
    arrows = set(TOLD)
    for caller, folders in FOLDERS.items():
        for text in (text for folder in folders for text in _sources(folder)):
            names = re.findall(r'PeerOf\("(\w+)"\)', text)
            for lists in re.findall(r"EndpointsFor\(context, ((?:\{[^}]*\}(?:, )?)+)\)", text):
                names += re.findall(r'"(\w+)"', lists)
            arrows |= {(caller, name.replace("_", "-")) for name in names}
            if "context.Database()" in text:
                arrows.add((caller, "postgres"))
    return arrows


def commands_call() -> set[tuple[str, str]]:
    return {(COMMAND, name.replace("_", "-")) for text in _sources("cli") for name in re.findall(r'PeerOf\("(\w+)"', text)}
