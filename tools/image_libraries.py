"""The Debian packages that hold the shared libraries of the programs, as the loader finds them here.

usage: image_libraries.py BUILD          prints them, a line each: `make image_libraries` keeps them in deploy/libraries.txt
"""
import pathlib
import re
import subprocess
import sys

# What every Debian image has, whatever is installed.
BASE = {"libc6", "libgcc-s1", "libstdc++6", "libgcc1"}


def loaded(program):
    """The paths of all libraries that the loader takes for the program, and the names that it does not find."""
    told = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    paths = re.findall(r"=> (/\S+) \(0x", told)
    return paths, re.findall(r"^\s*(\S+) => not found", told, re.M)


def package_of(path):
    """The package that owns a library; none for what Debian did not bring, such as torch's own."""
    # Debian's folders are links of one another, and alternatives are links to what a package brought.
    real = pathlib.Path(path).resolve()
    for name in (real, pathlib.Path("/" + str(real).removeprefix("/usr/"))):
        told = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True, check=False).stdout
        owners = {line.split(":")[0] for line in told.splitlines()}
        if owners:
            return sorted(owners)[0]
    return None


def needed(build):
    """{package: a library of it} of all programs that are installed."""
    packages = {}
    known = {}
    for program in sorted(pathlib.Path(build, "bin").glob("tidemill*")):
        if program.name == "tidemill-reference" or not program.is_file():
            continue
        paths, lost = loaded(program)
        if lost:
            sys.exit(f"{program}: {', '.join(lost)} not found")
        for path in paths:
            if path not in known:
                known[path] = package_of(path)
            if known[path] and known[path] not in BASE:
                packages.setdefault(known[path], pathlib.Path(path).name)
    return packages


if __name__ == "__main__":
    print("\n".join(sorted(needed(sys.argv[1]))))
