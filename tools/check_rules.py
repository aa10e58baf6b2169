"""House rules a compiler does not know: sizes, names, exceptions, threads, SQL."""
import pathlib
import re
import subprocess
import sys

files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True,
                       check=True).stdout.split("\n")
code = [f for f in files if re.search(r"\.(h|cc|py|sh|proto|sql)$", f) and pathlib.Path(f).exists()]
problems = []

# Exceptions stop where the library that throws them is called.
MAY_CATCH = {line.split("#")[0].strip() for line in
             pathlib.Path("tools/may_catch.txt").read_text().splitlines()} - {""}
MAY_THREAD = {"base/threads/periodic_task.h", "base/threads/periodic_task.cc", "base/threads/worker_pool.h", "base/threads/worker_pool.cc"}

for name in code:
    lines = pathlib.Path(name).read_text(errors="replace").splitlines()
    # The contract of plug-ins is one header: authors in C need one file.
    limit = 250 if name.endswith(".h") and not name.endswith("tidemill/plugin.h") else 500
    if len(lines) > limit:
        problems.append(f"{name}: {len(lines)} lines, the limit is {limit}")
    if re.search(r"(^|/)[a-z_]*(util|utils|helper|helpers|common|misc|manager)\.", name):
        problems.append(f"{name}: a name that says nothing")
    if not name.endswith((".h", ".cc")):
        continue
    for number, text in enumerate(lines, 1):
        bare = text.split("//")[0]
        where = f"{name}:{number}"
        if re.search(r"\b(try|catch|throw)\b\s*[({]?", bare) and re.search(r"\btry \{|\bcatch \(|\bthrow ", bare):
            if name not in MAY_CATCH:
                problems.append(f"{where}: exceptions are caught in {', '.join(sorted(MAY_CATCH))} only")
        if re.search(r"std::(jthread|thread)\b", bare) and not re.search(r"thread::id|this_thread|hardware_concurrency", bare):
            if name not in MAY_THREAD and not name.endswith("_test.cc"):
                problems.append(f"{where}: threads belong to PeriodicTask and WorkerPool")
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", text):
            problems.append(f"{where}: unfinished")
        if re.search(r"\bLoadTimeZone\b", bare) and name != "base/times/zone_database.cc":
            problems.append(f"{where}: zones are loaded by LoadZone() of base/times, because absl opens any path")
        if name.endswith("_test.cc") and re.search(r"sleep_for|\busleep\(|\bsleep\(|GTEST_SKIP|DISABLED_", bare):
            problems.append(f"{where}: a test that sleeps or does not run")
        if re.search(r"fmt::format\(\s*\"(SELECT|INSERT|UPDATE|DELETE)\b", bare):
            problems.append(f"{where}: bind values, never format them into SQL")
        if name.startswith("supervisor/triggers/") and not name.endswith("_test.cc"):
            if re.search(r'\b(observed|seen|numbers|observed\(\))(\[|\.(contains|find|at)\()"', bare):
                problems.append(f"{where}: observed numbers have names of number_names.h")
# Every failpoint of a service has a test that kills the service there.
killed_at = "".join(pathlib.Path(f"tests/fault/{test}_test.cc").read_text() for test in ("failpoint", "decisions", "skipped_trigger", "workers", "preprocess_path",
                                                                             "reuse", "model_use"))
for name in code:
    if name.endswith(".cc") and not name.endswith("_test.cc") and not name.startswith("base/"):
        for point in re.findall(r'FAILPOINT\("([^"]+)"\)', pathlib.Path(name).read_text()):
            if f'"{point}"' not in killed_at:
                problems.append(f"{name}: no test of tests/fault/ kills at the failpoint {point}")

print("\n".join(problems) or f"rules: {len(code)} files keep to them")
sys.exit(bool(problems))
