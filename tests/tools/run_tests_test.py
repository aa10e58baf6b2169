"""A test that fails every second time is named as flaky and does not fail the run; one that always fails does.

usage: run_tests_test.py RUN_TESTS
ctest runs programs that behave like such tests.
"""
import pathlib
import subprocess
import sys
import tempfile

FAILURE = """[ RUN      ] Suite.Name
/src/a_test.cc:12: Failure
Expected equality

[  FAILED  ] Suite.Name (0 ms)
"""
PASSES = "exit 0"
FAILS = "cat failure.txt; exit 1"
# Each call makes or removes a file.
EVERY_SECOND_TIME = "if rm before.txt 2>/dev/null; then exit 0; fi; touch before.txt; cat failure.txt; exit 1"


def run(programs: dict[str, str], *options: str) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "failure.txt").write_text(FAILURE, encoding="utf-8")
        tests = "".join(f'add_test({program} /bin/sh -c "{command}")\n' for program, command in programs.items())
        (folder / "CTestTestfile.cmake").write_text(tests, encoding="utf-8")
        done = subprocess.run([sys.executable, sys.argv[1], folder, *options], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        slowest = subprocess.run([sys.executable, sys.argv[1], folder, "--slowest"], capture_output=True, text=True, check=True)
        return done.returncode, done.stdout + slowest.stdout


def expect(programs: dict[str, str], status: int, said: list[str], not_said: list[str], *options: str) -> None:
    found, output = run(programs, *options)
    missing = [text for text in said if text not in output] + [f"not {text}" for text in not_said if text in output]
    if found != status or missing:
        sys.exit(f"{programs} ended with {found}, not {status}; missing: {missing}; it said:\n{output}")


expect({"sound": PASSES}, 0, ["1 passed, 0 failed, 0 skipped", "s  sound"], ["flaky"])
expect({"sound": PASSES, "moody": EVERY_SECOND_TIME}, 0,
       ["flaky: moody", "Suite.Name\n    /src/a_test.cc:12: Failure\n    Expected equality", "2 passed, 0 failed, 0 skipped",
        "s  sound"], ["flaky: sound"])
expect({"moody": EVERY_SECOND_TIME, "broken": FAILS}, 1,
       ["flaky: moody", "== broken: Test Failed.", "1 passed, 1 failed, 0 skipped"], ["flaky: broken"])
expect({f"broken_{number}": FAILS for number in range(9)}, 1, ["0 passed, 9 failed", "== broken_8: "], ["is run a second time"])
expect({}, 0, ["0 passed, 0 failed"], [])
expect({"sound": PASSES, "moody": EVERY_SECOND_TIME}, 1,
       ["round 1 of 2: 1 passed, 1 failed", "round 2 of 2: 2 passed, 0 failed", "failed 1 of 2 times under load: moody"],
       ["flaky"], "--under-load", "--rounds", "2")
print("flaky tests are named, and broken ones stop")
