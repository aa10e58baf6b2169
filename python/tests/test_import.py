"""What `import tidemill` loads: the process of a plug-in imports it in a sandbox."""
import subprocess
import sys

import pytest

import tidemill

HEAVY = ("grpc", "google", "numpy", "pandas", "polars", "pyarrow", "matplotlib", "torch", "yaml")


def printed_by(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_importing_the_package_loads_the_standard_library_alone() -> None:
    code = f"import sys, tidemill; print([name for name in {HEAVY} if name in sys.modules])"
    assert printed_by(code) == "[]"


def test_importing_plugin_loads_numpy_and_nothing_else() -> None:
    code = f"import sys, tidemill.plugin; print([name for name in {HEAVY} if name in sys.modules])"
    assert printed_by(code) == "['numpy']"


def test_the_client_needs_no_optional_library() -> None:
    optional = ("pandas", "polars", "pyarrow", "matplotlib", "torch", "tqdm")
    code = ("import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in optional) +
            "import tidemill\ntable = tidemill.Table({'a': [1]})\nprint(tidemill.Stack, len(table))\n"
            "try:\n    table.to_pandas()\nexcept tidemill.UsageError as error:\n    print(error.advice)\n")
    assert "pip install 'tidemill[pandas]'" in printed_by(code)


def test_every_public_name_is_there() -> None:
    for name in dir(tidemill):
        assert getattr(tidemill, name) is not None


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="has no nothing"):
        tidemill.nothing  # noqa: B018
