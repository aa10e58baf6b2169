#!/usr/bin/env python3
"""Tries trainings on a GPU and prints a table: benchmarks/gpu/gpu_trial.cc, compiled against the torch of this machine.

    tools/gpu_test.py --pack build    where Tidemill was built: gathers what a machine with a card lacks, in build/gpu_test
    tools/gpu_test.py                 on that machine, with the same tree and build/gpu_test: compiles and runs
    tools/gpu_test.py --pretend       the same on processors

The machine needs a C++ compiler and the torch of its Python. Nothing is fetched. What libtorch has no part in is packed as it
was compiled: libraries of this tree, the shared libraries that they need, and the headers of those."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

PACK = pathlib.Path("gpu_test")
COMPILER = os.environ.get("CXX", "g++")
# Compiled on the machine: they see torch, or know whether there is CUDA.
TARGETS = ["devices", "loader", "models", "training"]
OWN = ["benchmarks/gpu/gpu_trial.cc", "benchmarks/gpu/made_batches.cc", "benchmarks/gpu/trained.cc"]
# These come with every machine and compiler.
OF_THE_MACHINE = re.compile(r"lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|gomp)\.so|ld-linux|/torch/lib/")
FLAGS = ["-std=gnu++20", "-O2", "-DNDEBUG", "-DFMT_SHARED", "-DSPDLOG_COMPILED_LIB", "-DSPDLOG_FMT_EXTERNAL",
         "-DSPDLOG_SHARED_LIB", "-pthread", "-w"]
MOST_BYTES = 64 << 20


def run(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def torch_folder():
    """The folder of the torch that this Python has, and the flag of its ABI."""
    code = "import json, torch; print(json.dumps([torch.__path__[0], torch.__version__, torch.compiled_with_cxx11_abi()]))"
    return json.loads(run([sys.executable, "-c", code]).splitlines()[-1])


def sources_of(build):
    """The sources that are compiled on the machine: those of the targets, which may be joined, and the program's."""
    ninja = (build / "build.ninja").read_text()
    found = list(OWN)
    for target in TARGETS:
        objects = re.findall(rf"^build \S*CMakeFiles/tidemill_{target}\.dir/\S+\.o: \S+ (\S+\.cc)", ninja, re.M)
        for name in objects:
            path = (build / name) if not os.path.isabs(name) else pathlib.Path(name)
            if "/joined/" in name:
                found += re.findall(r'^#include "([^"]+\.cc)"', path.read_text(), re.M)
            else:
                found.append(os.path.relpath(path.resolve(), pathlib.Path.cwd()))
    return sorted(set(found))


def includes(torch, headers):
    return ["-I.", *(f"-I{folder}" for folder in headers),
            *(f"-idirafter{torch}/include{part}" for part in ("", "/torch/csrc/api/include"))]


def pack(build):
    folder = build / PACK
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "lib").mkdir(parents=True)
    sources = sources_of(build)
    (folder / "sources.json").write_text(json.dumps(sources))
    pack_headers(folder, build)
    link = re.search(r"^build bin/gpu_trial:.*?LINK_LIBRARIES = ([^\n]*)", (build / "build.ninja").read_text(), re.M | re.S)[1]
    archives = [word for word in link.split() if word.endswith(".a") and not os.path.isabs(word)
                and not any(word.endswith(f"libtidemill_{target}.a") for target in TARGETS)]
    for archive in archives:
        run(["strip", "--strip-debug", "-o", folder / "lib" / pathlib.Path(archive).name, build / archive])
    shared = [match[1] for match in re.finditer(r"=> (/\S+)", run(["ldd", build / "bin/gpu_trial"]))]
    newest = (0, 0)
    for library in shared:
        if OF_THE_MACHINE.search(library):
            continue
        shutil.copy(library, folder / "lib")
        versions = re.findall(r"GLIBC_(\d+)\.(\d+)", run(["objdump", "-T", library]))
        newest = max([newest, *((int(a), int(b)) for a, b in versions)])
    (folder / "glibc").write_text("%d.%d" % newest)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{folder}: {len(sources)} sources, {size >> 20} MiB, for glibc {newest[0]}.{newest[1]} or newer")
    if size > MOST_BYTES:
        sys.exit(f"that is more than {MOST_BYTES >> 20} MiB")


def pack_headers(folder, build):
    """Every header of a library that the sources include, and the generated ones, as the build has noted."""
    needed = set()
    for target in [*(f"tidemill_{name}.dir" for name in TARGETS), "gpu_trial.dir"]:
        ninja = (build / "build.ninja").read_text()
        for name in re.findall(rf"^build (\S*CMakeFiles/{target}/\S+\.o):", ninja, re.M):
            noted = run(["ninja", "-C", build, "-t", "deps", name]).splitlines()[1:]
            needed |= {os.path.normpath(build / line.strip()) for line in noted}
    system = re.compile(r"/usr/(?:include|lib)/(?:c\+\+|x86_64-linux-gnu|gcc|linux|asm|asm-generic)(?=/)|/usr/lib/")
    protos = os.path.relpath(build / "protos")
    for name in needed:
        path = pathlib.Path(os.path.relpath(name) if name.startswith(os.getcwd()) else name)
        if name.startswith("/usr/include/") and not system.match(name) and len(path.parts) > 4:
            to = folder / "include" / path.relative_to("/usr/include")
        elif str(path).startswith(protos):
            to = folder / "include" / path.relative_to(protos)
        else:
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)
    for name in ("xxhash.h", "zlib.h", "zconf.h"):
        if f"/usr/include/{name}" in needed:
            shutil.copy(f"/usr/include/{name}", folder / "include")


def check_machine(folder):
    wanted = tuple(map(int, (folder / "glibc").read_text().split(".")))
    has = tuple(map(int, re.search(r"(\d+)\.(\d+)$", run(["ldd", "--version"]).splitlines()[0]).groups()))
    if has < wanted:
        sys.exit(f"this machine has glibc {has[0]}.{has[1]}, and what was packed needs {wanted[0]}.{wanted[1]}")


def compile_all(folder, torch, abi, has_cuda):
    objects = folder / "objects"
    objects.mkdir(exist_ok=True)
    flags = [*FLAGS, f"-D_GLIBCXX_USE_CXX11_ABI={int(abi)}", *(["-DTIDEMILL_TORCH_HAS_CUDA"] if has_cuda else [])]

    # Torch's headers take most of the time of each source: they are parsed once.
    header = objects / "torch.h"
    header.write_text("#include <torch/torch.h>\n#include <torch/script.h>\n")
    run([COMPILER, *flags, *includes(torch, [folder / "include"]), "-x", "c++-header", header, "-o", f"{header}.gch"])

    def compile_one(source):
        target = objects / (source.replace("/", "_") + ".o")
        done = subprocess.run([COMPILER, *flags, *includes(torch, [folder / "include"]), "-include", header, "-c", source,
                               "-o", target],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{source} does not compile:\n{done.stderr[-4000:]}")
        return str(target)

    sources = json.loads((folder / "sources.json").read_text())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(compile_one, sources))


def link(folder, torch, objects, has_cuda):
    libraries = sorted(str(path) for path in (folder / "lib").iterdir())
    archives = [path for path in libraries if path.endswith(".a")]
    shared = [path for path in libraries if not path.endswith(".a")]
    torches = ["-ltorch", "-ltorch_cpu", "-lc10", *(["-ltorch_cuda", "-lc10_cuda"] if has_cuda else [])]
    program = folder / "gpu_trial"
    run([COMPILER, "-o", program, *objects, "-Wl,--start-group", *archives, "-Wl,--end-group", *shared, f"-L{torch}/lib",
         "-Wl,--no-as-needed", *torches, "-Wl,--allow-shlib-undefined", "-ldl", "-lm", "-pthread",
         f"-Wl,-rpath,{(folder / 'lib').resolve()}:{torch}/lib"])
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pack", metavar="BUILD", type=pathlib.Path)
    parser.add_argument("--pretend", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    given = parser.parse_args()
    if given.pack:
        return pack(given.pack)
    folder = given.build / PACK
    if not folder.exists():
        sys.exit(f"{folder} is missing: tools/gpu_test.py --pack BUILD makes it where Tidemill was built")
    check_machine(folder)
    torch, version, abi = torch_folder()
    has_cuda = (pathlib.Path(torch) / "lib/libtorch_cuda.so").exists()
    if not has_cuda and not given.pretend:
        sys.exit(f"torch {version} of this machine has no CUDA; --pretend tries all else on processors")
    begin = time.monotonic()
    program = link(folder, torch, compile_all(folder, torch, abi, has_cuda), has_cuda)
    print(f"torch {version}, compiled in {time.monotonic() - begin:.0f} s with {os.cpu_count()} cores", flush=True)
    options = [f"--{name}" for name in ("pretend", "quick") if getattr(given, name)]
    sys.exit(subprocess.run([program, *options]).returncode)


if __name__ == "__main__":
    main()
