"""A plug-in is built outside of the tree with what an installation has. Arguments: cmake, the build folder, a source."""
import pathlib
import subprocess
import sys
import tempfile

CMAKE, BUILD, SOURCE = sys.argv[1:4]

PROJECT = """cmake_minimum_required(VERSION 3.20)
project(outside LANGUAGES CXX)
find_package(TidemillPlugin 0.7 REQUIRED)
add_library(outside MODULE outside.cpp)
target_link_libraries(outside PRIVATE tidemill::plugin)
"""


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


with tempfile.TemporaryDirectory() as folder:
    outside = pathlib.Path(folder) / "outside"
    outside.mkdir()
    (outside / "CMakeLists.txt").write_text(PROJECT)
    (outside / "outside.cpp").write_text(pathlib.Path(SOURCE).read_text())
    run(CMAKE, "--install", BUILD, "--prefix", f"{folder}/prefix", "--component", "plugin")
    run(CMAKE, "-S", str(outside), "-B", f"{folder}/build", f"-DCMAKE_PREFIX_PATH={folder}/prefix")
    run(CMAKE, "--build", f"{folder}/build")
    built = list(pathlib.Path(folder, "build").glob("*outside.so"))
    if len(built) != 1:
        sys.exit(f"the build made {built}, not one shared object")
    for needed in ("prefix/lib/tidemill/python/tidemill/plugin_host.py", "prefix/lib/tidemill/templates/trigger.py"):
        if not pathlib.Path(folder, needed).is_file():
            sys.exit(f"{needed} is not installed")
