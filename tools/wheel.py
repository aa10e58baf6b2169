#!/usr/bin/env python3
"""Makes a wheel of the package tidemill with the programs of a build inside, for machines that have Python and nothing else.

usage: wheel.py BUILD      writes BUILD/wheel/tidemill-*.whl, and prints what it holds: `make wheel`

The programs are those of `cmake --install`, stripped. They find libtorch in the package torch beside them, which the
wheel requires. What they load of Debian's other packages is inside, as auditwheel puts it there. Runs with the Python of
.venv-wheel (tools/setup.sh).
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = pathlib.Path(sys.executable).parent
# Where the libraries of torch are, from a program and from a module of the package.
TORCH_OF_PROGRAM, TORCH_OF_MODULE = "$ORIGIN/../../../torch/lib", "$ORIGIN/../torch/lib"
# Programs load these by name when they first multiply matrices (cli/linear_algebra.cc), so they keep their names.
BY_NAME = ("libblas.so.3", "liblapack.so.3")
OF_TORCH = ("libtorch*.so*", "libc10*.so*")


def run(*command: str | pathlib.Path) -> str:
    """What the command prints. Ends with all that it said when it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=ROOT, check=False,
                          env={**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"})
    if done.returncode != 0:
        sys.exit(f"wheel: {' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def is_binary(path: pathlib.Path) -> bool:
    """Whether the file is a program or a shared library."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def library(name: str) -> pathlib.Path:
    """The file that the loader takes for a library."""
    found = re.search(rf"^\s*{re.escape(name)} .*=> (\S+)$", run("/sbin/ldconfig", "-p"), re.MULTILINE)
    if found is None:
        sys.exit(f"wheel: {name} is not installed; run tools/setup.sh")
    return pathlib.Path(found[1]).resolve()


def package_with_programs(build: pathlib.Path, work: pathlib.Path) -> pathlib.Path:
    """The wheel that scikit-build-core makes of python/ and the build's programs, unpacked."""
    made, unpacked = work / "made", work / "unpacked"
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--no-build-isolation", "--wheel-dir", made, "-C", f"cmake.define.TIDEMILL_BUILT={build}",
        "-C", f"build-dir={work}/cmake", ROOT / "python")
    [wheel] = made.glob("tidemill-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            path = pathlib.Path(archive.extract(entry, unpacked))
            path.chmod(entry.external_attr >> 16 & 0o777 or 0o644)
    (work / "name").write_text(wheel.name)
    return unpacked


def take_one_package(unpacked: pathlib.Path) -> None:
    """Leaves one copy of the Python package, with its native part: the one that Python imports is the programs', too."""
    copy = unpacked / "tidemill" / "programs" / "lib" / "tidemill" / "python"
    modules = list(copy.glob("tidemill/_native*.so"))
    if len(modules) != 1:
        sys.exit("wheel: the build has no native part of the Python package; run tools/setup.sh and build tidemill_native")
    shutil.move(modules[0], unpacked / "tidemill")
    shutil.rmtree(copy)


def place_libraries(unpacked: pathlib.Path) -> None:
    """Lets programs and modules find torch, and adds the libraries that they load by name."""
    programs = unpacked / "tidemill" / "programs"
    for name in BY_NAME:
        shutil.copy(library(name), programs / "lib" / name)
    for path in sorted((programs / "bin").iterdir()):
        if is_binary(path):
            run("patchelf", "--set-rpath", f"{TORCH_OF_PROGRAM}:$ORIGIN/../lib", path)
    [module] = unpacked.glob("tidemill/_native*.so")
    run("patchelf", "--set-rpath", TORCH_OF_MODULE, module)


def require_programs_needs(unpacked: pathlib.Path) -> None:
    """What the programs need is no longer extra: the wheel requires it."""
    [metadata] = unpacked.glob("*.dist-info/METADATA")
    text = metadata.read_text()
    required = re.sub(r"""^(Requires-Dist: .*?) *; *extra == ['"]programs['"]$""", r"\1", text, flags=re.MULTILINE)
    if required == text:
        sys.exit("wheel: python/pyproject.toml has no requirements `programs`, such as torch")
    metadata.write_text(re.sub(r"^Provides-Extra: programs\n", "", required, flags=re.MULTILINE))


def pack(unpacked: pathlib.Path, wheel: pathlib.Path) -> None:
    """Writes the wheel again, with the sums of all its files."""
    [record] = unpacked.glob("*.dist-info/RECORD")
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(path for path in unpacked.rglob("*") if path.is_file() and path != record):
            name = path.relative_to(unpacked).as_posix()
            digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).decode().rstrip("=")
            lines.append(f"{name},sha256={digest},{path.stat().st_size}\n")
            archive.write(path, name)
        record.write_text("".join(lines) + f"{record.relative_to(unpacked)},,\n")
        archive.write(record, record.relative_to(unpacked).as_posix())


def repair(wheel: pathlib.Path, into: pathlib.Path) -> pathlib.Path:
    """Puts the shared libraries of Debian's packages inside, and names the oldest system that the wheel runs on."""
    excluded = [word for name in (*OF_TORCH, *BY_NAME) for word in ("--exclude", name)]
    for old in into.glob("tidemill-*.whl"):
        old.unlink()
    run("auditwheel", "repair", *excluded, "--wheel-dir", into, wheel)
    [repaired] = into.glob("tidemill-*.whl")
    return repaired


def report(wheel: pathlib.Path) -> None:
    """Prints how large the wheel and its parts are."""
    sizes: dict[str, int] = {}
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            in_programs = entry.filename.startswith("tidemill/programs/")
            part = "programs" if in_programs else "libraries" if ".libs/" in entry.filename else "Python"
            sizes[part] = sizes.get(part, 0) + entry.file_size
    unpacked = ", ".join(f"{part} {size / 1e6:.1f} MB" for part, size in sorted(sizes.items()))
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB; unpacked {sum(sizes.values()) / 1e6:.1f} MB: {unpacked}")


def main() -> None:
    """Makes the wheel."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    into = build / "wheel"
    work = into / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    unpacked = package_with_programs(build, work)
    take_one_package(unpacked)
    place_libraries(unpacked)
    require_programs_needs(unpacked)
    wheel = work / (work / "name").read_text()
    pack(unpacked, wheel)
    report(repair(wheel, into))
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
