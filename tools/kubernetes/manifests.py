"""The manifests of deploy/kubernetes as the cluster would get them."""
import json
import pathlib
import re
import shutil
import subprocess

import yaml

FOLDER = pathlib.Path("deploy/kubernetes")
# What can be applied unchanged.
ROOTS = [FOLDER / "base", *sorted(path for path in (FOLDER / "overlays").iterdir() if path.is_dir())]
# With which the engine would fill a template.
JOB = {"NAME": "tidemill-stack-trainers-3", "STACK": "stack", "GROUP": "trainers", "NUMBER": "3", "MEMBER": "trainers/3",
       "PROGRAM": "trainer-server", "IMAGE": "tidemill", "QUEUE": "trainings", "PROCESSORS": "4", "MEMORY": "8589934592", "GPUS": "1",
       "COMMAND": json.dumps(["tidemill-trainer-server", "--config", "/etc/tidemill/tidemill.yaml", "--listen", "0.0.0.0:50054"])}


def kubectl() -> str:
    """Returns the kubectl that tools/setup.sh --checks has installed, or that of the machine."""
    program = pathlib.Path(".venv/bin/kubectl")
    return str(program) if program.exists() else shutil.which("kubectl") or "kubectl"


def render(folder: pathlib.Path) -> list[dict]:
    told = subprocess.run([kubectl(), "kustomize", folder], capture_output=True, text=True, check=False)
    if told.returncode or told.stderr:
        raise RuntimeError(f"{folder}: kubectl kustomize says: {told.stderr.strip()}")
    return list(yaml.safe_load_all(told.stdout))


def fill(template: str, values: dict[str, str]) -> dict:
    """Returns the Job, as engine/backends/kubernetes.cc makes it: lines whose value is missing are left out."""
    lines = []
    for line in template.splitlines():
        if line.lstrip().startswith("#"):
            continue
        names = re.findall(r"\$([A-Z]+)", line)
        if all(name in values for name in names):
            lines.append(re.sub(r"\$([A-Z]+)", lambda found: values[found[1]], line))
    return yaml.safe_load("\n".join(lines))


def pod_of(thing: dict) -> dict | None:
    """Returns the spec of the pods that an object makes."""
    return thing["spec"]["template"]["spec"] if thing["kind"] in ("Deployment", "StatefulSet", "Job") else None


def labels_of(thing: dict) -> dict:
    return thing["spec"]["template"]["metadata"]["labels"]
