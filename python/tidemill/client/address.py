"""Where a stack is, and how it is trusted. The rules are those of the command `tidemill`."""
from __future__ import annotations

import dataclasses
import fcntl
import os
import pathlib
import stat
from collections.abc import Mapping
from typing import Any

import yaml

from tidemill.errors import Conflict, InvalidPipeline, NotAllowed, NotFound, Unreachable, UsageError


@dataclasses.dataclass(frozen=True)
class Address:
    """The stack that is meant. What is None is looked up in the environment, as `tidemill` does (TIDEMILL_STATE, ...).

    With `config` or `server` the stack is remote, otherwise it is the local one of a state folder.
    """

    #: The state folder of a local stack; else TIDEMILL_STATE, or the user's.
    state: str | os.PathLike[str] | None = None
    #: A system configuration, for its section `cluster`.
    config: str | os.PathLike[str] | None = None
    #: The endpoint of a remote supervisor: "host:port".
    server: str | None = None
    token_file: str | os.PathLike[str] | None = None
    tls_ca: str | os.PathLike[str] | None = None
    tls_certificate: str | os.PathLike[str] | None = None
    tls_key: str | os.PathLike[str] | None = None
    #: The longest wait for a call, in seconds.
    timeout: float = 60.0

    def flags(self) -> list[str]:
        """The same as options of `tidemill`."""
        flags = ["--timeout", f"{max(1, round(self.timeout * 1000))}ms"]
        for name in ("state", "config", "server", "token_file", "tls_ca", "tls_certificate", "tls_key"):
            value = getattr(self, name)
            if value is not None:
                flags += [f"--{name.replace('_', '-')}", os.fspath(value)]
        return flags

    def absolute(self) -> Address:
        """The same from any folder."""
        paths = ("state", "config", "token_file", "tls_ca", "tls_certificate", "tls_key")
        return dataclasses.replace(self, **{name: os.path.abspath(getattr(self, name)) for name in paths
                                            if getattr(self, name) is not None})

    def with_environment(self) -> Address:
        """The address with what the environment says. A state folder that is named is not outvoted by it."""
        local = self.state is not None
        names = ("token_file", "tls_ca", "tls_certificate", "tls_key") if local else (
            "config", "server", "token_file", "tls_ca", "tls_certificate", "tls_key")
        found = {name: _of_environment(f"TIDEMILL_{name.upper()}") for name in names if getattr(self, name) is None}
        return dataclasses.replace(self, **found)  # type: ignore[arg-type]


def _of_environment(variable: str) -> str | None:
    value = os.environ.get(variable)
    if value == "":
        raise UsageError(f"{variable} is empty", advice="unset it, or set it")
    return value


def state_folder(address: Address) -> pathlib.Path:
    """The state folder of a local stack."""
    given = address.state if address.state is not None else _of_environment("TIDEMILL_STATE")
    if given is None:
        home = os.environ.get("XDG_STATE_HOME") or os.path.join(os.environ.get("HOME", "/tmp"), ".local/state")
        given = "/var/lib/tidemill" if os.geteuid() == 0 else os.path.join(home, "tidemill")
    return pathlib.Path(os.path.realpath(given))


@dataclasses.dataclass(frozen=True)
class Tls:
    """The contents of PEM files."""

    ca: bytes | None
    certificate: bytes | None
    key: bytes | None
    #: Certificates name services, not hosts.
    by_service: bool


@dataclasses.dataclass(frozen=True)
class Reach:
    """How the services of a stack are reached."""

    endpoints: Mapping[str, str]
    token: str
    tls: Tls | None
    #: The state folder of a local stack; None for a remote one.
    state: pathlib.Path | None
    timeout: float
    #: The token of the role service, with which batches come from workers; None where the token file has none.
    service_token: str | None = None


def find(address: Address) -> Reach:
    """Finds the stack. Raises Unreachable when no local stack runs in the state folder."""
    known = address.with_environment()
    return _remote(known) if known.config is not None or known.server is not None else _local(known)


def _cluster_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        document = yaml.safe_load(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidPipeline(f"{path} is not a system configuration: {error}") from None
    if not isinstance(document, dict) or not isinstance(document.get("cluster"), dict):
        raise InvalidPipeline(f"{path} has no section `cluster`", advice="name the system configuration of a stack")
    cluster: dict[str, Any] = document["cluster"]
    return cluster


def keeper_runs(state: pathlib.Path) -> bool:
    """Whether the stack of a state folder runs: its keeper holds a lock."""
    try:
        with open(state / "stack.lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _local(address: Address) -> Reach:
    state = state_folder(address)
    if not keeper_runs(state):
        raise Unreachable(f"no stack runs in {state}",
                          advice="start one with `tidemill.Stack(state=...)`, or keep one running with `tidemill up`")
    cluster = _cluster_of(state / "tidemill.yaml")
    endpoints = {name: str(endpoint) for name, endpoint in cluster["endpoints"].items()}
    for endpoint in endpoints.values():
        if endpoint.startswith("unix:"):
            _check_owner(os.path.dirname(endpoint.removeprefix("unix:")))
    tokens = tokens_of(cluster["token_file"])
    return Reach(endpoints, _token_among(tokens, cluster["token_file"]), None, state, address.timeout, tokens.get("service"))


def _check_owner(folder: str) -> None:
    """A folder below /tmp that another user made could contain the sockets of that user's services."""
    try:
        info = os.lstat(folder)
    except OSError:
        info = None
    if info is None or not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & 0o077:
        raise Conflict(f"{folder} is not a folder that belongs to this user alone", advice="remove it")


def _remote(address: Address) -> Reach:
    cluster = _cluster_of(address.config) if address.config is not None else {}
    endpoints = {name: str(endpoint) for name, endpoint in cluster.get("endpoints", {}).items()}
    if address.server is not None:
        endpoints["supervisor"] = address.server
    tls = cluster.get("tls") or {}
    ca, certificate, key = (given if given is not None else tls.get(name) or None for given, name in (
        (address.tls_ca, "ca"), (address.tls_certificate, "certificate"), (address.tls_key, "key")))
    token_file = address.token_file if address.token_file is not None else cluster.get("token_file")
    if not token_file:
        raise UsageError("a remote stack needs a token", advice="name its file with `token_file`")
    files = Tls(_bytes_of(ca), _bytes_of(certificate), _bytes_of(key), tls.get("verify") == "service") if ca else None
    if files is None:
        for endpoint in endpoints.values():
            if not is_local(endpoint):
                raise UsageError(f"{endpoint} is not a loopback address",
                                 advice="name the authority of its certificate with `tls_ca`")
    tokens = tokens_of(token_file)
    return Reach(endpoints, _token_among(tokens, token_file), files, None, address.timeout, tokens.get("service"))


def _bytes_of(path: str | os.PathLike[str] | None) -> bytes | None:
    if path is None:
        return None
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}") from None


def is_local(endpoint: str) -> bool:
    """Whether an endpoint is a UNIX socket or a loopback address, which needs no certificates."""
    host = endpoint.rpartition(":")[0].strip("[]")
    return endpoint.startswith("unix:") or host in ("localhost", "::1") or (
        host.startswith("127.") and host.replace(".", "").isdigit())


def tokens_of(path: str | os.PathLike[str]) -> dict[str, str]:
    """The tokens of a file of lines `role token`, by role."""
    try:
        info = os.stat(path)
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise NotFound(f"cannot open {path}: {error.strerror}") from None
    if info.st_mode & 0o077:
        raise NotAllowed(f"{path} can be read by others", advice=f"run chmod 600 {path}")
    return dict(line.split() for line in text.splitlines() if len(line.split()) == 2)


def _token_among(tokens: Mapping[str, str], path: str | os.PathLike[str]) -> str:
    """The token of the operator, or else of a reader."""
    for role in ("operator", "reader"):
        if role in tokens:
            return tokens[role]
    raise NotAllowed(f"{path} has no token of the role operator or reader")
