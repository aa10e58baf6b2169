"""The files that deploy Tidemill agree with each other and with what is built.

usage: check_deploy.py [BUILD]   with a build folder, the programs read the configuration and are asked
for the libraries they need.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

import image_libraries

problems = []
build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
compose = yaml.safe_load(pathlib.Path("docker-compose.yml").read_text())
config = yaml.safe_load(pathlib.Path("deploy/tidemill.yaml").read_text())
dockerfile = pathlib.Path("deploy/Dockerfile").read_text()
secrets = pathlib.Path("deploy/secrets.sh").read_text()
endpoints = config["cluster"]["endpoints"]
services = compose["services"]

# Every service of the stack has its container, and every container of one has its place in the stack.
stack = re.search(r"kServices\[\] = \{(.*?)\};", pathlib.Path("cli/stack/local_stack.h").read_text(), re.S)
known = re.findall(r'"(\w+)"', stack.group(1))
if sorted(known) != sorted(endpoints):
    problems.append(f"deploy/tidemill.yaml: endpoints {sorted(endpoints)} are not the services {sorted(known)}")

for name in known:
    host, port = endpoints.get(name, ":").split(":")
    service = services.get(host)
    if service is None:
        problems.append(f"docker-compose.yml: no service {host} for the endpoint of {name}")
        continue
    command = service["command"]
    program = "tidemill-" + name.replace("_", "-")
    if command[0] != program:
        problems.append(f"docker-compose.yml: {host} runs {command[0]}, not {program}")
    if build and not (build / "bin" / command[0]).exists():
        problems.append(f"docker-compose.yml: {host} runs {command[0]}, which is not built")
    if command[command.index("--listen") + 1] != f"0.0.0.0:{port}":
        problems.append(f"docker-compose.yml: {host} does not listen on port {port}")
    if service["healthcheck"]["test"][-2:] != ["--service", name]:
        problems.append(f"docker-compose.yml: the health check of {host} does not ask {name}")
    volumes = dict(volume.split(":")[1::-1] for volume in service["volumes"] if volume.count(":") and "$" not in volume)
    if volumes.get("/secrets") != f"{host}-secrets":
        problems.append(f"docker-compose.yml: {host} does not have secrets of its own")
    if volumes.get(config["cluster"]["state_folder"]) != f"{host}-state":
        problems.append(f"docker-compose.yml: {host} has no volume for its state folder")
    if f" {host}" not in re.search(r"services='(.*?)'", secrets).group(0).replace("'", " "):
        problems.append(f"deploy/secrets.sh: creates nothing for {host}")

# Secrets: who is given a volume finds in it what the configuration names.
for key in ("certificate", "key", "ca", "client_ca"):
    path = pathlib.PurePath(config["cluster"]["tls"][key])
    if path.parent != pathlib.PurePath("/secrets") or f"/{path.name}" not in secrets:
        problems.append(f"deploy/tidemill.yaml: tls.{key} is {path}, which deploy/secrets.sh does not make")
for volume in services["certificates"]["volumes"]:
    source, target = volume.split(":")
    if source.endswith("-secrets") and target != f"/secrets/{source[:-len('-secrets')]}":
        problems.append(f"docker-compose.yml: certificates puts {source} at {target}")
named = {volume.split(":")[0] for service in services.values() for volume in service.get("volumes", [])
         if re.match(r"[a-z-]+:", volume)}
if named != set(compose["volumes"]):
    problems.append(f"docker-compose.yml: volumes differ: {named ^ set(compose['volumes'])}")

# Nothing but the supervisor can be reached from outside, and every image is the one that is built.
for name, service in services.items():
    if "ports" in service and name != "supervisor":
        problems.append(f"docker-compose.yml: {name} publishes a port")
    if name != "postgres" and service["image"] != services["certificates"]["image"]:
        problems.append(f"docker-compose.yml: {name} has another image")
    if name not in ("certificates", "postgres", "cli") and name.replace("-", "_") not in known:
        problems.append(f"docker-compose.yml: {name} is not a service")
    if name not in ("certificates",) and not service.get("depends_on"):
        problems.append(f"docker-compose.yml: {name} does not wait for the certificates")
port = services["supervisor"]["ports"][0].split(":")
if port[1] != endpoints["supervisor"].split(":")[1]:
    problems.append("docker-compose.yml: the published port is not the supervisor's")

# What is copied is there; the user and its number agree.
for line in re.findall(r"^COPY (?!--from)(.*)$", dockerfile, re.M):
    for source in line.split()[:-1]:
        if not pathlib.Path(source).exists():
            problems.append(f"deploy/Dockerfile: copies {source}, which is not there")
user = re.search(r"--uid (\d+)", dockerfile).group(1)
if f"tidemill_user={user}" not in secrets:
    problems.append("deploy/secrets.sh: tidemill_user is not the image's user")
if not re.search(r"^USER tidemill$", dockerfile, re.M):
    problems.append("deploy/Dockerfile: runs as root")

if build:
    listed = pathlib.Path("deploy/libraries.txt").read_text().split()
    derived = image_libraries.needed(build)
    for package in sorted(derived.keys() - set(listed)):
        problems.append(f"deploy/libraries.txt: lacks {package} for {derived[package]}; run 'make image_libraries'")
    # Debian's libtorch, where there is no wheel, needs more than the image, which has the wheel's.
    if not any(package.startswith("libtorch") for package in derived):
        for package in sorted(set(listed) - derived.keys()):
            problems.append(f"deploy/libraries.txt: no program needs {package}; run 'make image_libraries'")
    # What the image's first stage builds can be configured.
    flags = re.findall(r"-DTIDEMILL_\w+=\w+", dockerfile)
    torch = re.search(r"^TORCH_DIR:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    with tempfile.TemporaryDirectory() as folder:
        told = subprocess.run(["cmake", "--preset", "release", "-B", folder, *flags, f"-DTORCH_DIR={torch.group(1) if torch else ''}"],
                              capture_output=True, text=True, check=False)
    if told.returncode:
        problems.append(f"deploy/Dockerfile: cmake {' '.join(flags)} says: {told.stderr.strip()}")
    # The programs read the configuration they are given: all is well with it but the files it names.
    for name in known:
        program = build / "bin" / ("tidemill-" + name.replace("_", "-"))
        if not program.exists():
            continue
        told = subprocess.run([program, "--config", "deploy/tidemill.yaml"], capture_output=True, text=True,
                              timeout=60, check=False).stderr
        if "cannot open /secrets/tokens" not in told:
            problems.append(f"deploy/tidemill.yaml: {program.name} says: {told.strip()}")

print("\n".join(problems) or f"deploy: {len(services)} containers agree with the stack")
sys.exit(bool(problems))
