"""Writes the manifests of an overlay as files that `podman kube play` takes, one for each pod.

usage: pods.py OVERLAY SECRETS.yaml FOLDER COPIES   COPIES: pods of preprocess-worker

Podman 4.3 knows pods and ConfigMaps. The rest is done here as a cluster would do it: the pods of StatefulSets and Deployments,
and folders for Secrets, claims and emptyDir, which belong to root and the pod's group. Prints a line for each pod: its name, its
service, its container, and the command of its readiness probe.
"""
import base64
import os
import pathlib
import shlex
import sys

import yaml

import manifests


def make_folder(path: pathlib.Path, group: int, mode: int) -> dict:
    path.mkdir(parents=True, exist_ok=True)
    os.chown(path, 0, group)
    path.chmod(mode)
    return {"path": str(path.resolve()), "type": "Directory"}


def write_secret(secret: dict, folder: pathlib.Path, group: int) -> dict:
    found = make_folder(folder, group, 0o750)
    for key, value in secret["data"].items():
        path = folder / key
        path.write_bytes(base64.b64decode(value))
        path.chmod(0o440)
        os.chown(path, 0, group)
    return found


def adapt(pod: dict, name: str, secrets: dict[str, dict], folder: pathlib.Path) -> None:
    group = pod["securityContext"]["fsGroup"]
    for volume in pod["volumes"]:
        own = folder / "volumes" / name / volume["name"]
        if secret := volume.pop("secret", None):
            volume["hostPath"] = write_secret(secrets[secret["secretName"]], own, group)
        elif claim := volume.pop("persistentVolumeClaim", None):
            volume["hostPath"] = make_folder(folder / "volumes" / claim["claimName"], group, 0o2775)
        elif "emptyDir" in volume:
            del volume["emptyDir"]
            volume["hostPath"] = make_folder(own, group, 0o2777)
        elif "configMap" in volume:
            volume["configMap"]["optional"] = False  # Without it, podman 4.3 crashes.
    for container in pod["containers"]:
        container.pop("ports", None)  # Podman would publish them on this host.


def main() -> None:
    folder, copies = pathlib.Path(sys.argv[3]), int(sys.argv[4])
    things = manifests.render(pathlib.Path(sys.argv[1]))
    secrets = {thing["metadata"]["name"]: thing for thing in yaml.safe_load_all(pathlib.Path(sys.argv[2]).read_text())}
    maps = [thing for thing in things if thing["kind"] == "ConfigMap"]
    folder.mkdir(parents=True, exist_ok=True)
    for thing in filter(manifests.pod_of, things):
        service = thing["metadata"]["name"]
        for number in range(copies if service == "preprocess-worker" else 1):
            name = f"{service}-{number}"
            pod = yaml.safe_load(yaml.safe_dump(manifests.pod_of(thing)))
            pod["volumes"] += [{"name": claim["metadata"]["name"],
                                "persistentVolumeClaim": {"claimName": f"{claim['metadata']['name']}-{name}"}}
                               for claim in thing["spec"].get("volumeClaimTemplates", [])]
            adapt(pod, name, secrets, folder)
            # Without the annotation, podman removes init containers, sometimes before they have ended.
            played = {"apiVersion": "v1", "kind": "Pod", "spec": pod,
                      "metadata": {"name": name, "labels": manifests.labels_of(thing),
                                   "annotations": {"io.podman.annotations.init.container.type": "always"}}}
            (folder / f"{name}.yaml").write_text(yaml.safe_dump_all([*maps, played], sort_keys=False))
            probe = pod["containers"][0].get("readinessProbe", {}).get("exec", {}).get("command", ["true"])
            print(name, service, pod["containers"][0]["name"], shlex.join(probe))


main()
