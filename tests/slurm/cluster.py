#!/usr/bin/env python3
"""A Slurm cluster of its own, in a folder: munged, slurmctld, and three slurmd on this host, with ports of their own.

    with Cluster(folder) as cluster:
        cluster.run("sbatch", "--partition=cpu", "--wrap", "sleep 60")
        cluster.kill_node("n2")

Each node is a namespace of processes: what `kill_node` ends dies as a host dies, jobs included. Nothing outside the folder is
touched, and nothing of it is left when the program that made it ends, however it ends. Needs root, slurmctld, slurmd, munge.

As a program, `cluster.py [FOLDER [SETTING=VALUE ...]]` prints the path of slurm.conf as soon as all nodes answer, or what this
machine lacks. It obeys the lines of its input ("stop controller", "start controller", "kill n2", "start n2"), each answered by a
line, and ends with it.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAMS = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "squeue": "slurm-client"}
NODES = ("n1", "n2", "n3")

# For Debian's Slurm 22.05. Jobs of the partition `urgent` take processors from those of `cpu`, which are queued again. A job that
# is queued again waits as long as its credential is valid, `cred_expire`: two minutes by default.
CONFIGURATION = """
ClusterName=tidemill
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
SlurmctldPort={controller_port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=100
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
GresTypes=gpu
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobcomp.txt
"""
SETTINGS = {"KillWait": 10, "MinJobAge": 300, "SlurmdTimeout": 10, "SlurmctldTimeout": 10, "BatchStartTimeout": 5,
            "MessageTimeout": 5, "UnkillableStepTimeout": 20}


def lacks():
    """Why this machine can have no cluster; nothing when it can."""
    missing = sorted({package for program, package in PROGRAMS.items() if not find(program)})
    if missing:
        return "there is no Slurm: apt-get install -y --no-install-recommends " + " ".join(missing)
    return "" if os.geteuid() == 0 else "slurmd needs root's rights"


def find(program):
    return shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin:" + os.environ.get("PATH", ""))


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Cluster:
    def __init__(self, folder, settings=None, processors=4, memory_mebibytes=4000, gpus=2):
        self.folder = pathlib.Path(folder).absolute()
        self.settings = SETTINGS | (settings or {})
        self.node = f"CPUs={processors} RealMemory={memory_mebibytes} Gres=gpu:{gpus}"
        self.gpus = gpus
        self.daemons = {}
        self.environment = os.environ | {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self):
        if lack := lacks():
            raise RuntimeError(lack)
        try:
            self._write_files()
            self._start_munge()
            self.start_controller()
            for node in NODES:
                self.start_node(node)
            self._await(self._all_idle, "all nodes are idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in list(self.daemons):
            self._kill(name)

    def run(self, *command, timeout=60, check=True):
        """What a command of Slurm printed."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=timeout)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def start_controller(self):
        self._start("slurmctld", find("slurmctld"), "-D")

    def stop_controller(self):
        """As `systemctl stop` does: it keeps its state."""
        self.daemons["slurmctld"].terminate()
        self.daemons.pop("slurmctld").wait()

    def start_node(self, node):
        self._start(node, find("unshare"), "--pid", "--fork", "--kill-child", "--mount-proc", find("slurmd"), "-D", "-N", node)

    def kill_node(self, node):
        self._kill(node)

    def _write_files(self):
        ports = free_ports(1 + len(NODES))
        for name in ("state", *NODES):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)  # Users need munged's socket.
        lines = [CONFIGURATION.strip().format(folder=self.folder, controller_port=ports[0])]
        lines += [f"{name}={value}" for name, value in self.settings.items()]
        for node, port in zip(NODES, ports[1:]):
            lines.append(f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} {self.node}")
        lines.append("PartitionName=cpu Nodes=ALL Default=YES PriorityTier=1 PreemptMode=REQUEUE")
        lines.append("PartitionName=urgent Nodes=ALL PriorityTier=10 PreemptMode=OFF")
        (self.folder / "slurm.conf").write_text("\n".join(lines) + "\n")
        for gpu in range(self.gpus):
            (self.folder / f"gpu{gpu}").touch()
        (self.folder / "gres.conf").write_text(f"Name=gpu Flags=nvidia_gpu_env File={self.folder}/gpu[0-{self.gpus - 1}]\n")

    def _start_munge(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        paths = [f"--{name}-file={self.folder}/munge.{name}" for name in ("key", "pid", "log", "seed")]
        self._start("munged", find("munged"), "--foreground", f"--socket={self.folder}/munge.socket", *paths)
        self._await((self.folder / "munge.socket").exists, "munged listens")

    def _start(self, name, *command):
        with open(self.folder / f"{name}.out", "ab") as output:
            self.daemons[name] = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=output,
                                                  stderr=output, preexec_fn=die_with_parent)

    def _kill(self, name):
        daemon = self.daemons.pop(name)
        daemon.kill()
        daemon.wait()

    def _all_idle(self):
        states = self.run("sinfo", "--noheader", "--Node", "--partition=cpu", "--format=%T", check=False).split()
        return states == ["idle"] * len(NODES)

    def _await(self, condition, sentence, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            for name, daemon in self.daemons.items():
                if daemon.poll() is not None:
                    raise RuntimeError(f"{name} ended: {(self.folder / f'{name}.out').read_text()[-2000:]}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"not within {seconds} s: {sentence}; see the logs in {self.folder}")
            time.sleep(0.1)


def obey(cluster, line):
    verb, name = line.split()
    if name == "controller":
        {"stop": cluster.stop_controller, "start": cluster.start_controller}[verb]()
    else:
        {"kill": cluster.kill_node, "start": cluster.start_node}[verb](name)


def serve(folder, settings):
    with Cluster(folder, settings) as cluster:
        print(cluster.environment["SLURM_CONF"], flush=True)
        for line in sys.stdin:
            obey(cluster, line)
            print("done", flush=True)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = sys.argv[1] if len(sys.argv) > 1 else None
    settings = dict(setting.split("=") for setting in sys.argv[2:])
    if lack := lacks():
        print(lack)
    elif folder:
        serve(folder, settings)
    else:
        with tempfile.TemporaryDirectory(prefix="slurm") as folder:
            serve(folder, settings)


if __name__ == "__main__":
    main()
