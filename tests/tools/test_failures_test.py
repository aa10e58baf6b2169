"""What a run of ctest prints about failed tests is repeated, and nothing about tests that pass.

usage: test_failures_test.py TEST_FAILURES CTEST
ctest runs programs that write what test programs would.
"""
import pathlib
import subprocess
import sys
import tempfile

# What each program writes, and the shell command that it ends with.
PROGRAMS = {
    "passes": ("/src/a_test.cc:1: Failure\nof a test about failures\n", "exit 0"),
    "fails": ("""\
[ RUN      ] Suite.Passes
[       OK ] Suite.Passes (0 ms)
[ RUN      ] Suite.Fails
2026-11-23T08:00:00 I a line of a log
/src/a_test.cc:12: Failure
Expected equality of these values:
  1
  2
2026-11-23T08:00:00 I another line of a log
/src/a_test.cc:13: Failure
Value of: is_there

[  FAILED  ] Suite.Fails (0 ms)
""", "exit 1"),
    "ends": ("""\
[ RUN      ] Suite.Ends
terminate called without an active exception
""", "exit 134"),
    "leaks": ("""\
==7==ERROR: AddressSanitizer: heap-use-after-free
    #0 0x1 in Use

freed by thread T0 here
""", "exit 1"),
    "is_silent": ("".join(f"line {number}\n" for number in range(20)), "exit 1"),
}
TOLD = """
What failed:

== fails: Test Failed.
Suite.Fails
    /src/a_test.cc:12: Failure
    Expected equality of these values:
      1
      2
Suite.Fails
    /src/a_test.cc:13: Failure
    Value of: is_there

== ends: Test Failed.
Suite.Ends
    terminate called without an active exception

== leaks: Test Failed.

    ==7==ERROR: AddressSanitizer: heap-use-after-free
        #0 0x1 in Use

== is_silent: Test Failed.
no expectation failed; its last lines:
""" + "".join(f"    line {number}\n" for number in range(8, 20))

test_failures, ctest = sys.argv[1:]
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    tests = []
    for program, (output, end) in PROGRAMS.items():
        (folder / f"{program}.txt").write_text(output)
        tests.append(f'add_test({program} /bin/sh -c "cat {program}.txt; {end}")\n')
    (folder / "CTestTestfile.cmake").write_text("".join(tests))
    run = subprocess.run([ctest, "--test-dir", folder], capture_output=True, text=True)
    told = subprocess.run([sys.executable, test_failures, folder], check=True, capture_output=True, text=True).stdout
if told != TOLD:
    sys.exit(f"of this run:\n{run.stdout}{run.stderr}\nthis was printed:\n{told}\ninstead of:\n{TOLD}")
print("failures are printed, and nothing else")
