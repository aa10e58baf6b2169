#!/usr/bin/env python3
"""Writes python/tidemill/protos: the messages of protos/tidemill as modules of Python, with their types.

usage: write_protos.py [FOLDER]

FOLDER: where to write instead. protoc names a module after its proto, so that `tidemill/rpc/v1/rpc.proto` is the module
`tidemill.rpc.v1.rpc_pb2`; here they are all below `tidemill.protos`. A test compares what is there with what this writes.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Files of TensorBoard are written by C++ alone.
LEFT_OUT = ("tensorboard",)
IMPORT = re.compile(r"^from tidemill\.(?=\w+\.v1 import)", re.MULTILINE)


def generated(protos: list[str]) -> dict[str, str]:
    """The text of each module and of its types, by its path below `tidemill/protos`."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", "-I", "protos", f"--python_out={folder}", f"--pyi_out={folder}", *protos], cwd=ROOT, check=True)
        below = pathlib.Path(folder) / "tidemill"
        return {str(path.relative_to(below)): IMPORT.sub("from tidemill.protos.", path.read_text())
                for path in sorted(below.rglob("*_pb2.py*"))}


def modules() -> dict[str, str]:
    """All files of `tidemill/protos`."""
    protos = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "protos" / "tidemill").rglob("*.proto"))
              if path.parts[-3] not in LEFT_OUT]
    files = generated(protos)
    packages = {str(parent) for name in files for parent in pathlib.PurePath(name).parents}
    return files | {str(pathlib.PurePath(package) / "__init__.py"): "" for package in packages}


def main() -> None:
    """Writes what has changed, and removes what no proto gives any more."""
    into = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "python" / "tidemill" / "protos"
    files = modules()
    for path in into.rglob("*.py*"):
        if path.suffix in (".py", ".pyi") and str(path.relative_to(into)) not in files:
            path.unlink()
    for name, text in files.items():
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
