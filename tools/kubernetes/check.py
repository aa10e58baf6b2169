"""The manifests of deploy/kubernetes follow their schemas, agree with docker-compose.yml, and give no pod more than it needs.

usage: .venv/bin/python tools/kubernetes/check.py [BUILD]   with a build folder, the programs read the configuration.

Kinds of Kubernetes are checked by its own schemas, those of KEDA by the fields in tools/kubernetes/keda_schemas.yaml. Kueue adds no kind,
only a label.
"""
import pathlib
import subprocess
import sys

import jsonschema
import kubernetes_validate
import yaml

import manifests
import network_arrows

OLDEST, NEWEST = "1.29", "1.37"
KUEUE_LABEL = "kueue.x-k8s.io/queue-name"
ENGINES = {"supervisor", "preprocess"}
problems = []
keda = yaml.safe_load(pathlib.Path("tools/kubernetes/keda_schemas.yaml").read_text())
compose = yaml.safe_load(pathlib.Path("docker-compose.yml").read_text())["services"]
services = [name for name in compose if name not in ("certificates", "postgres", "cli")]


def check_schema(where: str, thing: dict) -> bool:
    try:
        if thing["kind"] in keda:
            jsonschema.validate(thing, keda[thing["kind"]])
        else:
            for version in (OLDEST, NEWEST):
                kubernetes_validate.validate(thing, version, strict=True)
    except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError, jsonschema.ValidationError) as error:
        problems.append(f"{where}: {getattr(error, 'message', error)} at {list(getattr(error, 'path', []))}")
        return False
    return True


def check_rights(where: str, pod: dict, may_call_api: bool) -> None:
    """Pod security standard "restricted", and more."""
    security = pod.get("securityContext", {})
    if not security.get("runAsNonRoot") or not security.get("runAsUser"):
        problems.append(f"{where}: may run as root")
    if security.get("seccompProfile") != {"type": "RuntimeDefault"}:
        problems.append(f"{where}: has no seccomp profile")
    if pod.get("automountServiceAccountToken") is not may_call_api:
        problems.append(f"{where}: automountServiceAccountToken must be {may_call_api}")
    for container in pod.get("initContainers", []) + pod["containers"]:
        if container.get("securityContext") != {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                                "capabilities": {"drop": ["ALL"]}}:
            problems.append(f"{where}: container {container['name']} has more rights than the others")
        if "memory" not in container.get("resources", {}).get("limits", {}):
            problems.append(f"{where}: container {container['name']} has no limit of memory")
    mounted = {mount["name"] for container in pod.get("initContainers", []) + pod["containers"]
               for mount in container.get("volumeMounts", [])}
    if extra := {volume["name"] for volume in pod["volumes"]} - mounted:
        problems.append(f"{where}: nothing mounts {sorted(extra)}")


def secret_of(pod: dict) -> str | None:
    return next((volume["secret"]["secretName"] for volume in pod["volumes"] if volume["name"] == "given"), None)


def check_process(where: str, name: str, thing: dict, ports: set[int]) -> None:
    """The same program, ports, secrets and question for health as in docker-compose.yml."""
    pod, service = manifests.pod_of(thing), compose[name]
    container = pod["containers"][0]
    if container["command"] != service["command"]:
        problems.append(f"{where}: runs {container['command']}, and docker-compose.yml {service['command']}")
    if secret_of(pod) != f"{name}-secrets":
        problems.append(f"{where}: is given {secret_of(pod)}")
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        if container.get(probe, {}).get("exec", {}).get("command") != service["healthcheck"]["test"][1:]:
            problems.append(f"{where}: {probe} does not ask as docker-compose.yml does")
    if pod.get("hostAliases") != [{"ip": "127.0.0.1", "hostnames": [name]}]:
        problems.append(f"{where}: its probes would ask another pod")
    listens = int(service["command"][-1].rpartition(":")[2])
    if listens not in ports or listens not in {port["containerPort"] for port in container["ports"]}:
        problems.append(f"{where}: its Service has no port {listens}")


def arrows(things: list[dict]) -> dict[tuple[str, str], set[int]]:
    """Who may call whom at which ports; `*` is everybody."""
    found = {}
    for policy in (thing for thing in things if thing["kind"] == "NetworkPolicy"):
        called = policy["spec"]["podSelector"].get("matchLabels", {}).get("app.kubernetes.io/name")
        if called is None:  # Processes in Jobs are services, too, and choose their ports.
            continue
        for rule in policy["spec"].get("ingress", []):
            for source in rule.get("from", [{}]):
                names = ["*"] if not source else [
                    name for chosen in source.get("podSelector", {}).get("matchExpressions", []) for name in chosen["values"]]
                for name in names:
                    found.setdefault((name, called), set()).update(port["port"] for port in rule["ports"])
    return found


def check_network(where: str, things: list[dict], workloads: dict[str, dict]) -> None:
    policies = {thing["metadata"]["name"]: thing["spec"] for thing in things if thing["kind"] == "NetworkPolicy"}
    if policies.get("nothing") != {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}:
        problems.append(f"{where}: nothing is refused by default")
    allowed = {pair for pair in arrows(things) if pair[0] != "*"}
    anybody = {called for caller, called in arrows(things) if caller == "*"}
    needed = network_arrows.called() | {(network_arrows.COMMAND, name) for name in services}
    needed = {pair for pair in needed if pair[1] not in anybody and pair[1] in workloads}
    for caller, called in sorted(needed - allowed):
        problems.append(f"{where}: {caller} calls {called} in the sources, and no NetworkPolicy lets it")
    for caller, called in sorted(allowed - needed):
        problems.append(f"{where}: a NetworkPolicy lets {caller} call {called}, which it never does")
    if anybody != {"supervisor"}:
        problems.append(f"{where}: everybody may call {sorted(anybody)}")


def check_root(where: str, things: list[dict]) -> None:
    if not all([check_schema(f"{where}: {thing['kind']} {thing['metadata']['name']}", thing) for thing in things]):
        return
    workloads = {thing["metadata"]["name"]: thing for thing in things if manifests.pod_of(thing)}
    with_engine = any(thing["kind"] == "Role" for thing in things)
    ports = {thing["metadata"]["name"]: {port["port"] for port in thing["spec"]["ports"]} for thing in things
             if thing["kind"] == "Service"}
    for thing in things:
        if thing["kind"] != "Namespace" and thing["metadata"].get("namespace") != "tidemill":
            problems.append(f"{where}: {thing['metadata']['name']} is in no namespace")
    for name in services + (["postgres"] if "postgres" in workloads else []):
        if name not in workloads:
            problems.append(f"{where}: nothing runs {name}")
    for name, thing in workloads.items():
        at = f"{where}: {name}"
        check_rights(at, manifests.pod_of(thing), with_engine and name in ENGINES)
        if name in services:
            check_process(at, name, thing, ports.get(name, set()))
            limited = any(budget["kind"] == "PodDisruptionBudget" and name in str(budget["spec"]["selector"]) for budget in things)
            if not limited:
                problems.append(f"{at}: no PodDisruptionBudget")
    check_network(where, things, workloads)
    for thing in (thing for thing in things if thing["kind"] == "ScaledObject"):
        host, port = thing["spec"]["triggers"][0]["metadata"]["scalerAddress"].split(":")
        service, namespace = host.split(".")[:2]
        if namespace != thing["metadata"]["namespace"] or int(port) not in ports[service]:
            problems.append(f"{where}: KEDA would ask {host}:{port}, where nothing answers")
        target = thing["spec"]["scaleTargetRef"]["name"]
        if target not in workloads or "replicas" in workloads[target]["spec"]:
            problems.append(f"{where}: the number of pods of {target} is not KEDA's alone")


def check_job() -> None:
    """The template, filled with everything and with as little as there may be."""
    template = (manifests.FOLDER / "components/jobs/job.yaml").read_text()
    optional = ("QUEUE", "PROCESSORS", "MEMORY", "GPUS")
    for values in (manifests.JOB, {name: value for name, value in manifests.JOB.items() if name not in optional}):
        job = manifests.fill(template, values)
        check_schema("components/jobs/job.yaml", job)
        pod = manifests.pod_of(job)
        container = pod["containers"][0]
        container["resources"] = {"limits": {"memory": "asked for"}}
        check_rights("components/jobs/job.yaml", pod, False)
        if secret_of(pod) != "trainer-server-secrets" or manifests.labels_of(job)["app.kubernetes.io/name"] != "trainer-server":
            problems.append("components/jobs/job.yaml: a trainer server in a Job is not one to others")
        if job["metadata"]["labels"].get(KUEUE_LABEL) != values.get("QUEUE"):
            problems.append(f"components/jobs/job.yaml: {KUEUE_LABEL} is not the queue")


def check_configuration(build: pathlib.Path | None) -> None:
    """The configurations differ from that of docker-compose.yml only in what pods find out themselves."""
    base = manifests.FOLDER / "base"
    ours = yaml.safe_load((base / "tidemill.yaml").read_text())
    theirs = yaml.safe_load(pathlib.Path("deploy/tidemill.yaml").read_text())
    if ours["cluster"]["endpoints"] != theirs["cluster"]["endpoints"]:
        problems.append("base/tidemill.yaml: the endpoints are not those of deploy/tidemill.yaml")
    other = yaml.safe_load((manifests.FOLDER / "overlays/external-database/tidemill.yaml").read_text())
    for config in (ours, other):
        del config["cluster"]["database"]
    if ours != other:
        problems.append("overlays/external-database/tidemill.yaml: more than `database` differs from base/tidemill.yaml")
    pods = yaml.safe_load((base / "preprocess.yaml").read_text().partition("\n---\n")[0])["spec"]["template"]["spec"]
    scaler = int(ours["preprocess"]["scaler_address"].rpartition(":")[2])
    if scaler not in {port["containerPort"] for port in pods["containers"][0]["ports"]}:
        problems.append(f"base/tidemill.yaml: no port of preprocess is KEDA's, {scaler}")
    if (base / "pg_hba.conf").read_text() != pathlib.Path("deploy/pg_hba.conf").read_text():
        problems.append("base/pg_hba.conf: differs from deploy/pg_hba.conf")
    for name in services if build else []:
        told = subprocess.run([build / "bin" / f"tidemill-{name}", "--config", base / "tidemill.yaml"], capture_output=True,
                              text=True, timeout=60, check=False).stderr
        if "cannot open /secrets/tokens" not in told:
            problems.append(f"base/tidemill.yaml: tidemill-{name} says: {told.strip()}")


def main() -> None:
    count = 0
    for root in manifests.ROOTS:
        things = manifests.render(root)
        count += len(things)
        check_root(str(root.relative_to(manifests.FOLDER)), things)
    check_job()
    check_configuration(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    print("\n".join(dict.fromkeys(problems)) or f"kubernetes: {count} objects follow their schemas and agree with docker-compose.yml")
    sys.exit(bool(problems))


main()
