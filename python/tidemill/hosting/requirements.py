"""The packages that a program requires: whether this Python has them."""
from __future__ import annotations

import importlib.metadata
import re
import shlex
import sys

from tidemill.hosting.faults import Refused

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)\s*")
_CLAUSE = re.compile(r"(==|!=|>=|<=|~=|>|<)\s*([0-9]+(?:\.[0-9]+)*)(\.\*)?")


def check_requirements(requirements: list[str]) -> None:
    """Raises Refused, with the command that installs them, where packages are missing or of another version."""
    lacking = []
    for requirement in requirements:
        name, clauses = _parsed(requirement)
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            lacking.append((requirement, f"{name} is not installed"))
            continue
        if not all(_holds(version, *clause) for clause in clauses):
            lacking.append((requirement, f"{name} {version} is installed, and {requirement.strip()} is required"))
    if not lacking:
        return
    command = shlex.join([sys.executable, "-m", "pip", "install", *(requirement.strip() for requirement, _ in lacking)])
    raise Refused(f"{'; '.join(why for _, why in lacking)}. Install what is missing: {command}")


def _parsed(requirement: str) -> tuple[str, list[tuple[str, tuple[int, ...], bool]]]:
    whole = _REQUIREMENT.fullmatch(requirement)
    clauses = []
    for text in (whole[2].split(",") if whole and whole[2] else []):
        clause = _CLAUSE.fullmatch(text.strip())
        if clause is None:
            whole = None
            break
        clauses.append((clause[1], _numbers(clause[2]), bool(clause[3])))
    if whole is None:
        raise Refused(f"the requirement {requirement!r} cannot be read: write a package, and versions such as torch>=2,<3")
    return whole[1], clauses


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))


def _holds(version: str, operator: str, wanted: tuple[int, ...], is_prefix: bool) -> bool:
    release = re.match(r"(?:\d+!)?(\d+(?:\.\d+)*)", version)
    if release is None:
        return False
    have = _numbers(release[1])
    if is_prefix or operator == "~=":
        begins = have[:len(wanted) - (operator == "~=")] == wanted[:len(wanted) - (operator == "~=")]
        return not begins if operator == "!=" else begins and (operator != "~=" or have >= wanted)
    length = max(len(have), len(wanted))
    one, other = have + (0,) * (length - len(have)), wanted + (0,) * (length - len(wanted))
    return {"==": one == other, "!=": one != other, ">=": one >= other, "<=": one <= other, ">": one > other,
            "<": one < other}[operator]
