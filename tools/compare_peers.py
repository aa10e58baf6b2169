#!/usr/bin/python3
"""Measures Tidemill and other loaders in turn, and keeps what came of it in benchmarks/results/peers.json.

tools/compare_peers.py [--build FOLDER] [--environments FOLDER] [--results FILE] [--quick] [--again] [NAME...]

NAME: only these modules of benchmarks/peers/loaders/. A loader is measured on each workload that it has: its
settings are tried, what it delivers is checked, and the fastest setting takes turns with Tidemill in its own process
and Tidemill through one preprocessing worker. Where trainings share, or where rows are kept, the first is enough. Results that exist are not measured again without --again, so that a run that was
interrupted resumes. A loader that does not run is listed with its error, and is retried.
"""
import argparse
import ast
import json
import os
import pathlib
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from turns import keep, kept, ratio_of, take_turns

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ROOT / "benchmarks" / "peers"
RESULTS = ROOT / "benchmarks" / "results" / "peers.json"
# Records, photographs of which each is prepared in each epoch, trainings that share them, and photographs that are kept
# between epochs.
WORKLOADS = ("criteo", "jpeg", "tenth", "two", "four", "memory", "disk")
RECORDS = ("criteo", "tenth")
PLAIN = ("criteo", "jpeg", "tenth")
TRAININGS = {"two": 2, "four": 4}
KEPT = ("memory", "disk")
# What a module says about its loader.
FACTS = ("TITLE", "REQUIREMENTS", "PACKAGES", "GUIDE", "SETTINGS", "HOW", "HASH")
ROUNDS = 5
# A loader that takes longer for an epoch of the fewer records has epochs of them.
PATIENCE = 1.5
LONGEST_COMMAND = 90
# Photographs of a workload, and in a trial. An epoch of trainings that share is long, as TensorSocket waits at its
# beginning.
PHOTOGRAPHS = {"jpeg": (384, 64), "two": (1024, 128), "four": (1024, 128), "memory": (1024, 512), "disk": (1024, 512)}
CONTENTS = 384
# A setting is tried with epochs until they have taken this many seconds, and with at most that many epochs.
TRYING = 0.5
TRIES = 10
TICKS = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    pass


class Process:
    """A loader that makes epochs on demand, in its own session."""

    def __init__(self, words, environment=None):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True, start_new_session=True, env=environment)
        self.folder = ""
        first = self.answer()
        if not first.startswith("ready"):
            raise Failed(f"it said {first}")
        self.folder = first.partition(" ")[2].strip()

    def answer(self):
        readable, _, _ = select.select([self.process.stdout], [], [], LONGEST_COMMAND)
        line = self.process.stdout.readline() if readable else ""
        if not line:
            reason = self.last_words() if readable else f"nothing came in {LONGEST_COMMAND} s"
            self.close()
            raise Failed(reason)
        return line

    def last_words(self):
        self.log.seek(0)
        lines = [line.strip() for line in self.log.read().splitlines() if line.strip()]
        return next((line for line in reversed(lines) if "Error" in line), lines[-1] if lines else "it ended")[-300:]

    def ask(self, command):
        """Makes an epoch. Returns its samples, its seconds, and the processor seconds that it took."""
        before = self.processor_seconds()
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        samples, seconds = self.answer().split()
        return int(samples), float(seconds), self.processor_seconds() - before

    def processor_seconds(self):
        """Of all its processes: those of its session, and the services whose folder it named."""
        ticks = 0
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                ours = int(fields[3]) == self.process.pid
                if not ours and self.folder:
                    ours = self.folder in (entry / "cmdline").read_bytes().decode(errors="replace")
                # Children that have ended were counted by those that waited for them.
                ticks += sum(int(fields[at]) for at in (11, 12, 13, 14)) if ours else 0
            except (OSError, IndexError):
                continue
        return ticks / TICKS

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(90 if self.folder else 20)  # A stack has services to stop.
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process.stdout.close()


def drop_from_memory(folder):
    """What was written is read from the device again."""
    for file in folder.rglob("*"):
        if file.is_file():
            descriptor = os.open(file, os.O_RDONLY)
            os.fdatasync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


class Bench:
    """The data, Tidemill's processes, and what is compared with what."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = arguments.build / "peers"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.records = (16_384, 65_536) if arguments.quick else (131_072, 1_048_576)
        self.rounds = 2 if arguments.quick else ROUNDS
        self.ours = {}
        self.checkers = {}
        self.seed = 0

    def photographs(self, workload):
        return PHOTOGRAPHS[workload][int(self.arguments.quick)]

    def data_of(self, workload, size):
        """The folder with the data; size 0 is the fewer records."""
        sys.path.insert(0, str(PEERS))
        import data
        if workload in RECORDS:
            folder = self.folder / f"criteo_{self.records[size]}"
            data.make_records(folder, self.records[size])
        else:
            folder = self.folder / f"jpeg_{self.photographs(workload)}"
            data.make_photographs(folder, self.photographs(workload), CONTENTS)
        return folder

    def kept_folder(self, workload):
        """Where all sides keep rows on disk."""
        return self.folder / f"jpeg_{self.photographs(workload)}.kept"

    def check(self, workload, size, by_xxh3, file):
        import data
        folder = self.data_of(workload, size)
        key = (folder, by_xxh3)
        if key not in self.checkers:
            kind = data.DeliveredRecords if workload in RECORDS else data.DeliveredPhotographs
            self.checkers[key] = kind(folder, data.xxh3_hash if by_xxh3 else data.product_hash)
        try:
            return self.checkers[key].check(file, 0.1 if workload == "tenth" else 1)
        except ValueError as error:
            raise Failed(f"what it delivered is wrong: {error}") from error

    def checked_epoch(self, process, prefix, workload, size, by_xxh3):
        """An epoch whose samples are compared with the data, in each training. Returns how random the order was."""
        file = self.folder / f"delivered_{os.getpid()}"
        process.ask(f"check {prefix}{self.next_seed()} {file}")
        order = 0
        for training in range(TRAININGS.get(workload, 1)):
            delivered = file if training == 0 else pathlib.Path(f"{file}.{training}")
            order = self.check(workload, size, by_xxh3, delivered)
            delivered.unlink()
        return order

    def keep_rows(self, process, prefix, workload, size, by_xxh3):
        """Epochs until rows are kept and found: those that were found are checked, too."""
        return [self.checked_epoch(process, prefix, workload, size, by_xxh3) for _ in range(3 if workload in KEPT else 1)][-1]

    def next_seed(self):
        self.seed += 1
        return self.seed

    def ways(self, workload):
        return ("local", "worker") if workload in PLAIN else ("local",)

    def tidemill(self, workload):
        if workload not in self.ours:
            for other in list(self.ours):
                self.ours.pop(other).close()
            process = Process([self.arguments.build / "bin" / "tidemill_batches", workload, self.data_of(workload, 1)])
            for way in self.ways(workload):
                self.keep_rows(process, f"{way} ", workload, 1, True)
            self.ours[workload] = process
        return self.ours[workload]

    def start(self, peer, workload, size, setting):
        paths = f"{PEERS}:{self.arguments.build}/lib/tidemill/python"
        environment = dict(os.environ, PYTHONPATH=paths, PYTHONWARNINGS="ignore", TF_CPP_MIN_LOG_LEVEL="3",
                           HF_DATASETS_OFFLINE="1", RAY_DEDUP_LOGS="1", RAY_USAGE_STATS_ENABLED="0")
        python = self.arguments.environments / peer["REQUIREMENTS"] / "bin" / "python"
        if not python.exists():
            raise Failed(f"{peer['REQUIREMENTS']}.txt is not installed: see {python.parent.parent}.log")
        return Process([python, PEERS / "peer.py", peer["name"], workload, self.data_of(workload, size),
                        json.dumps(setting)], environment)

    def fastest_epoch(self, process):
        """A single epoch of a hundredth of a second would tell the best setting by chance."""
        epochs = []
        while not epochs or (len(epochs) < TRIES and sum(seconds for _, seconds in epochs) < TRYING):
            samples, seconds, _ = process.ask(f"epoch {self.next_seed()}")
            epochs.append((samples, seconds))
        return min(epochs, key=lambda epoch: epoch[1])

    def choose(self, peer, workload):
        """Tries the settings. Returns the fastest and its size of data, and the rates of all."""
        tried = []
        size = 0
        for setting in peer["SETTINGS"][workload]:
            try:
                process = self.start(peer, workload, size, setting)
                try:
                    process.ask(f"epoch {self.next_seed()}")
                    samples, seconds = self.fastest_epoch(process)
                finally:
                    process.close()
                tried.append({"setting": setting, "rate": samples / seconds, "seconds": seconds})
            except Failed as failure:
                tried.append({"setting": setting, "error": str(failure)})
        able = [trial for trial in tried if "rate" in trial]
        if not able:
            raise Failed(tried[0]["error"])
        best = max(able, key=lambda trial: trial["rate"])
        return best, int(workload in RECORDS and best["seconds"] < PATIENCE), tried

    def measure(self, peer, workload):
        ours = self.tidemill(workload)
        best, size, tried = self.choose(peer, workload)
        process = self.start(peer, workload, size, best["setting"])
        try:
            order = self.keep_rows(process, "", workload, size, peer.get("HASH") == "xxh3")
            sides = {"local": lambda: self.turn(ours, "epoch local", workload), "peer": lambda: self.turn(process, "epoch", workload)}
            if "worker" in self.ways(workload):
                sides["worker"] = lambda: self.turn(ours, "epoch worker", workload)
            rounds = take_turns(sides, self.rounds)
        finally:
            process.close()
        result = {"setting": best["setting"], "tried": tried, "samples": self.samples(workload, size), "order": order,
                  "rounds": self.rounds}
        for side in sides:
            result[side] = {key: statistics.median(turn[side][key] for turn in rounds) for key in ("rate", "processor_us")}
        for of in ("rate", "processor_us"):
            values = [{side: measured[of] for side, measured in turn.items()} for turn in rounds]
            for way in self.ways(workload):
                # The ratio of processor times is theirs over ours, so that more is better in both.
                found = ratio_of(values, way, "peer") if of == "rate" else ratio_of(values, "peer", way)
                result[way].update(found if of == "rate" else {f"processor_{key}": value for key, value in found.items()})
        return result

    def turn(self, process, command, workload):
        if workload == "disk":
            drop_from_memory(self.kept_folder(workload))
        samples, seconds, processor = process.ask(f"{command} {self.next_seed()}")
        return {"rate": samples / seconds, "processor_us": 1e6 * processor / samples}

    def samples(self, workload, size):
        return self.records[size] if workload in RECORDS else self.photographs(workload)

    def close(self):
        for process in self.ours.values():
            process.close()
        for workload in KEPT:
            shutil.rmtree(self.kept_folder(workload), ignore_errors=True)


def read_peers(names):
    """What the modules say about themselves, without loading what they import."""
    found = []
    for file in sorted((PEERS / "loaders").glob("*.py")):
        peer = {"name": file.stem}
        for statement in ast.parse(file.read_text()).body:
            if isinstance(statement, ast.Assign) and statement.targets[0].id in FACTS:
                peer[statement.targets[0].id] = ast.literal_eval(statement.value)
        if "TITLE" in peer and (not names or file.stem in names):
            found.append(peer)
    unknown = set(names) - {peer["name"] for peer in found}
    if unknown:
        sys.exit(f"no module of {PEERS / 'loaders'} is called {', '.join(sorted(unknown))}")
    return found


def versions(peer):
    pinned = (PEERS / "requirements" / f"{peer['REQUIREMENTS']}.txt").read_text().split()
    wanted = {package.partition("==")[0].partition("[")[0]: package.partition("==")[2] for package in pinned}
    return {package: wanted[package] for package in peer["PACKAGES"]}


def identity(entry):
    return entry["workload"], entry["name"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--environments", type=pathlib.Path, help="default: $TIDEMILL_PEERS_VENV, or peers/environments in the build folder")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--workload", action="append", choices=WORKLOADS)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    arguments.environments = (arguments.environments or pathlib.Path(
        os.environ.get("TIDEMILL_PEERS_VENV", arguments.build / "peers" / "environments"))).resolve()
    done = {identity(one) for one in kept(arguments.results) if "error" not in one and not arguments.again}
    bench = Bench(arguments)
    try:
        for workload in arguments.workload or WORKLOADS:
            for peer in read_peers(arguments.names):
                if workload in peer["SETTINGS"] and (workload, peer["name"]) not in done:
                    keep(arguments.results, [compare(bench, peer, workload)], identity)
    finally:
        bench.close()


def compare(bench, peer, workload):
    begin = time.monotonic()
    entry = {"workload": workload, "name": peer["name"], "title": peer["TITLE"], "versions": versions(peer),
             "guide": peer["GUIDE"], "how": peer["HOW"], "cores": os.cpu_count()}
    try:
        entry.update(bench.measure(peer, workload))
        text = ", ".join(f"{way} {entry[way]['ratio']:.2f} ({entry[way]['min']:.2f} to {entry[way]['max']:.2f})" for way in bench.ways(workload))
        text = f"{entry['peer']['rate']:,.0f} a second; ours over it: {text}"
    except Failed as failure:
        entry["error"] = text = str(failure)
    print(f"{workload} {peer['name']}: {text} [{time.monotonic() - begin:.0f} s]", file=sys.stderr, flush=True)
    return entry


if __name__ == "__main__":
    main()
