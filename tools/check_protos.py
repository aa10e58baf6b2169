"""Checks the contracts: names, a comment and allowed roles on every RPC, commands on mutations."""
import pathlib
import re
import sys

problems = []
READS = ("Get", "List", "Watch", "Read", "Describe", "Find", "Sync", "Check", "Compare")
num_rpcs = 0
# The contracts of others keep to their own rules: protos/externalscaler is KEDA's.
for path in sorted(pathlib.Path("protos/tidemill").rglob("*.proto")):
    text = path.read_text()
    service = path.parts[2]
    if f"package tidemill.{service}.v1;" not in text:
        problems.append(f"{path}: package must be tidemill.{service}.v1")
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        rpc = re.match(r"\s+rpc (\w+)\((?:stream )?(\w+)\) returns \((?:stream )?(\w+)\)( \{)?", line)
        if not rpc:
            continue
        num_rpcs += 1
        name, request, response = rpc[1], rpc[2], rpc[3]
        where = f"{path}:{number}: {name}"
        if request != name + "Request" or response != name + "Response":
            problems.append(f"{where}: takes {name}Request and returns {name}Response")
        block = "\n".join(lines[number - 1:number + 6]).split("\n  }")[0]
        if "tidemill.rpc.v1.allowed" not in block:
            problems.append(f"{where}: no allowed roles, so no caller could use it")
        if not lines[number - 2].strip().startswith("//") and not name.startswith("List"):
            problems.append(f"{where}: say what it does, its codes and whether it is idempotent")
        body = re.search(r"message %s \{(.*?)\n\}" % request, text, re.S)
        if not name.startswith(READS) and body and "tidemill.rpc.v1.Command command" not in body[1]:
            problems.append(f"{where}: changes something, so {request} needs a Command")
    for number, line in enumerate(lines, 1):
        field = re.match(r"\s+(?:repeated |optional )?[\w.<>, ]+ (\w+) = \d+;", line)
        if field and not re.fullmatch(r"[a-z][a-z0-9_]*|[A-Z][A-Z0-9_]*", field[1]):
            problems.append(f"{path}:{number}: field {field[1]} is not snake_case")
        if re.search(r"\bbool success\b|google.protobuf.Empty", line):
            problems.append(f"{path}:{number}: failure is a status, not a field")
    if len(lines) > 400:
        problems.append(f"{path}: {len(lines)} lines; split the service")
print("\n".join(problems) or f"protos: {num_rpcs} methods are named, commented and guarded")
sys.exit(bool(problems))
