#!/usr/bin/env python3
"""Two pipelines on a Slurm cluster with disturbances, beside the same ones on this host: scores and weights are equal.

usage: slurm_test.py PROGRAMS [FOLDER]    as root; PROGRAMS is build/bin. FOLDER is kept, for the logs.

The cluster has three nodes (cluster.py). deploy/tidemill.sbatch starts the services as a job of a user without rights, and they
start workers as a job array and trainer servers as jobs. While the pipelines run
  - a job of higher priority takes the nodes of the trainings, which are queued again,
  - a node with its jobs dies,
  - slurmctld is started again.

EPOCHS: those of the pipeline of photographs, 150.
"""
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import time

import cluster as slurm
import flat_photos

TREE = pathlib.Path(__file__).resolve().parents[2]
USER = pwd.getpwnam("nobody")

ENGINE = """
engine:
  backend: {type: slurm, partition: cpu, refresh: 500ms}
  stack: test
  host: 127.0.0.1
  workers: {scale: 2, processors: 2}
  trainers: {most: 2, processors: 4, idle: 20s}
"""
PHOTOS = """
version: 1
name: photos
datasets:
  photos:
    path: FOLDER/photos
    files: "*.jpg"
    format: {type: single_file}
    event_time: {row: {start: "2024-01-01T00:00:00Z", step: 1s}}
    label: {sidecar: .number, kind: class}
preprocess:
  dataset: photos
  workers: {}
  graph:
    - decode_image: {height: 120, width: 160}
    - resize: {height: 48, width: 64}
    - random_crop: {height: 32, width: 32}
    - normalize: {column: image, scale: 0.00392156862745098, mean: [0.5, 0.5, 0.5], std: [0.3, 0.3, 0.3]}
    - reshape: {column: image, shape: [3072]}
    - stack: {columns: [image], into: input}
    - label: {into: target}
trigger: {type: amount, samples: 400}
selection: {type: all_data}
model: {type: mlp, hidden: [32], outputs: 2}
training: {device: cpu, epochs: EPOCHS, batch_size: 16, seed: 5}
evaluation:
  - dataset: photos
    windows: {type: between_triggers}
    models: all
    measures: [accuracy]
"""


def say(*words):
    print(f"{time.monotonic() - BEGAN:6.1f} s", *words, flush=True)


def as_user(command):
    return ["setpriv", f"--reuid={USER.pw_uid}", f"--regid={USER.pw_gid}", "--clear-groups", *map(str, command)]


def until(condition, sentence, seconds=120):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {sentence}")
        time.sleep(0.3)
    return found


def fingerprint(run):
    """What must be equal, to the last bit."""
    lines = [run["state"]]
    for trigger in run["triggers"]:
        lines.append([trigger[key] for key in ("number", "at", "samples", "training_set_digest", "weights_digest")])
    for value in run["evaluations"]:
        lines.append([value[key] for key in ("trigger", "from", "measure", "value", "samples")])
    return lines


class Site:
    """A folder of the user, the programs, and what they are called with."""

    def __init__(self, folder, programs):
        self.folder, self.programs = folder, programs
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.pipelines = folder / "pipelines"
        shutil.copytree(TREE / "pipelines/quickstart", self.pipelines / "quickstart")
        flat_photos.write(self.pipelines / "photos", 1200)
        text = PHOTOS.replace("FOLDER", str(self.pipelines)).replace("EPOCHS", os.environ.get("EPOCHS", "150"))
        (self.pipelines / "photos.yaml").write_text(text)
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, USER.pw_uid, USER.pw_gid)

    def environment(self, **more):
        return os.environ | {"HOME": str(self.home), "USER": USER.pw_name} | more

    def run(self, pipeline, environment, *words):
        """The pipeline as it runs; `finish` waits for it."""
        command = [self.programs / "tidemill", "run", self.pipelines / pipeline, "--json", *words]
        return subprocess.Popen(as_user(command), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, running, seconds=900):
        out, err = running.communicate(timeout=seconds)
        if running.returncode != 0:
            raise AssertionError(f"{running.args}: exit code {running.returncode}\n{out[-2000:]}{err[-4000:]}")
        return json.loads(out.splitlines()[-1])

    def alone(self):
        """The runs of one host, in the order of `check`: keys of samples count on from dataset to dataset."""
        state = self.folder / "alone"
        environment = self.environment()
        try:
            return {pipeline: fingerprint(self.finish(self.run(pipeline, environment, "--state", state)))
                    for pipeline in ("photos.yaml", "quickstart/pipeline.yaml")}
        finally:
            subprocess.run(as_user([self.programs / "tidemill", "down", "--purge", "--state", state]), env=environment,
                           stdout=subprocess.DEVNULL)


class Stack:
    """The stack of tidemill.sbatch."""

    def __init__(self, site, cluster):
        self.site, self.cluster = site, cluster
        self.place = site.home / "tidemill"
        self.variables = site.environment(SLURM_CONF=cluster.environment["SLURM_CONF"], TIDEMILL_STATE=str(self.place),
                                          TIDEMILL_PROGRAMS=str(site.programs))
        self.place.mkdir(mode=0o700)
        (self.place / "tidemill.yaml").write_text(ENGINE.lstrip())
        (self.place / "data_roots").write_text(f"{site.pipelines}\n")
        for path in [self.place, *self.place.iterdir()]:
            os.chown(path, USER.pw_uid, USER.pw_gid)
        # Where nothing preempts it.
        words = ["sbatch", "--parsable", "--partition=urgent", "--nodelist=n1", "--cpus-per-task=2", "--mem=1G",
                 f"--output={site.home}/tidemill.log", TREE / "deploy/tidemill.sbatch"]
        self.job = subprocess.run(as_user(words), env=self.variables, cwd=TREE, check=True, capture_output=True,
                                  text=True).stdout.strip()
        # As on another host than that of the services.
        self.environment = site.environment(TIDEMILL_CONFIG=str(self.place / "engine/members.yaml"))

    def tidemill(self, *words):
        return subprocess.run(as_user([self.site.programs / "tidemill", *words]), env=self.environment, capture_output=True,
                              text=True, timeout=60)

    def is_up(self):
        if not self.cluster.run("squeue", "--noheader", f"--jobs={self.job}", "--states=RUNNING,PENDING", check=False):
            raise AssertionError("the job of the services has ended")
        return self.tidemill("runs", "list").returncode == 0

    def jobs(self, group):
        """The group's jobs: id, state, node, number of restarts."""
        lines = self.cluster.run("squeue", "--noheader", "--array", f"--name=tidemill-test-{group}",
                                 "--Format=ArrayJobID:|,ArrayTaskID:|,State:|,NodeList:|,RestartCnt:|", check=False).splitlines()
        return [(f"{job}_{task}", state, node, int(restarts)) for job, task, state, node, restarts, _ in
                (line.split("|") for line in lines)]

    def running(self, group):
        return [(job, node) for job, state, node, _ in self.jobs(group) if state == "RUNNING"]

    def trains(self):
        """Whether a training runs now."""
        listed = self.tidemill("trainers", "list", "--json")
        if listed.returncode != 0:
            return False
        return any(placement["stage"] == "train" for placement in json.loads(listed.stdout)["running"])

    def logs(self):
        files = [self.site.home / "tidemill.log", *sorted(self.place.rglob("*.log"))]
        return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')[-3000:]}" for path in files if path.exists())


def preempt_a_training(stack):
    until(lambda: stack.trains() and stack.running("trainers"), "a training runs in a job")
    restarts = {job: count for job, _, _, count in stack.jobs("trainers")}
    say("a job of higher priority takes n1 to n3 from", stack.running("trainers"))
    urgent = stack.cluster.run("sbatch", "--parsable", "--partition=urgent", "--nodes=3", "--ntasks-per-node=1", "--cpus-per-task=6",
                               "--mem=1M", "--output=/dev/null", "--wrap", "sleep 5").strip()
    until(lambda: any(count > restarts.get(job, 0) for job, _, _, count in stack.jobs("trainers")), "a trainer is queued again")
    say("queued again:", stack.jobs("trainers"))
    until(lambda: not stack.cluster.run("squeue", "--noheader", f"--jobs={urgent}", check=False), "the urgent job has ended")


def kill_a_node(stack):
    def victim():
        return [node for _, node in stack.running("trainers") + stack.running("workers") if node != "n1"]
    node = until(victim, "a member runs on another node than the services")[0]
    say("kills", node, "with", [job for job, at in stack.running("trainers") + stack.running("workers") if at == node])
    stack.cluster.kill_node(node)
    return node


def disturb(stack, run):
    preempt_a_training(stack)
    node = kill_a_node(stack)
    say("stops slurmctld")
    stack.cluster.stop_controller()
    time.sleep(5)
    stack.cluster.start_controller()
    say("slurmctld is back")
    assert run.poll() is None, "the run has ended before the last disturbance: give it more EPOCHS"
    until(lambda: node not in [at for _, at in stack.running("trainers") + stack.running("workers")],
          f"Slurm notices that {node} is gone")
    stack.cluster.start_node(node)
    say(node, "is back")


def check(stack, alone):
    photos = stack.site.run("photos.yaml", stack.environment)
    try:
        disturb(stack, photos)
        runs = {"photos.yaml": stack.site.finish(photos)}
    finally:
        photos.kill()
    say("photos has run")
    runs["quickstart/pipeline.yaml"] = stack.site.finish(stack.site.run("quickstart/pipeline.yaml", stack.environment))
    say("quickstart has run")
    for pipeline, run in runs.items():
        assert fingerprint(run) == alone[pipeline], f"{pipeline} differs:\n{alone[pipeline]}\n{fingerprint(run)}"
    print(stack.tidemill("runs", "show", str(runs["photos.yaml"]["run"])).stdout)
    assert len(stack.jobs("workers")) == 2, stack.jobs("workers")


def test(folder, programs):
    site = Site(folder / "site", programs)
    alone = site.alone()
    say("both pipelines have run on this host")
    with slurm.Cluster(folder / "cluster", {"KillWait": 5}, processors=8) as cluster:
        stack = Stack(site, cluster)
        try:
            until(stack.is_up, "the services answer")
            say("the services run as job", stack.job)
            until(lambda: len(stack.running("workers")) == 2, "two workers run")
            say("workers:", stack.jobs("workers"))
            check(stack, alone)
            cluster.run("scancel", stack.job)
            until(lambda: not cluster.run("squeue", "--noheader").strip(), "all jobs have ended")
        except BaseException:
            print(stack.logs())
            print(cluster.run("squeue", "--array", check=False))
            raise
    say("scores and weights are those of one host")


def main():
    if lack := slurm.lacks():
        sys.exit(f"slurm_test: {lack}")
    programs = pathlib.Path(sys.argv[1]).resolve()
    if subprocess.run(as_user([programs / "tidemill", "--version"]), stdout=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"slurm_test: the user {USER.pw_name} cannot run {programs}/tidemill: put the tree where all users can read it")
    if len(sys.argv) > 2:
        return test(pathlib.Path(sys.argv[2]).resolve(), programs)
    with tempfile.TemporaryDirectory(prefix="slurm_test") as folder:
        os.chmod(folder, 0o755)
        test(pathlib.Path(folder), programs)


BEGAN = time.monotonic()
if __name__ == "__main__":
    main()
