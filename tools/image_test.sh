#!/usr/bin/env bash
# Builds the image and runs the compose stack with podman; see tests/image/README.md. $1: the build folder.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
work=$build/image_test
stage=$work/programs
project=tidemill-image-test
image=tidemill

say() { printf 'image_test: %s\n' "$*" >&2; }

# The container engine's settings: crun refuses the control groups of some kernels, and an engine may not
# raise limits that its parent has.
engine_settings() {
  mkdir -p "$work"
  cat >"$work/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
runtime = "runc"
CONF
  export CONTAINERS_CONF=$work/containers.conf
}

base_image() {
  podman image exists docker.io/library/debian:bookworm-slim && return
  say "making the base image with debootstrap"
  rm -rf "$work/base"
  debootstrap --variant=minbase bookworm "$work/base" >"$work/debootstrap.log"
  tar -C "$work/base" -c . | podman import --quiet - docker.io/library/debian:bookworm-slim >/dev/null
  rm -rf "$work/base"
}

postgres_image() {
  podman image exists docker.io/library/postgres:15-bookworm && return
  say "building a replacement for postgres:15-bookworm"
  buildah bud --quiet --isolation chroot --file tests/image/postgres.Dockerfile \
    --tag docker.io/library/postgres:15-bookworm . >"$work/postgres.log" 2>&1 || { cat "$work/postgres.log"; exit 1; }
}

# The Dockerfile's first stage as a folder: programs, and torch's libraries.
copy_programs() {
  local torch
  torch=$(tools/setup.sh --torch-dir)
  rm -rf "$stage"
  mkdir -p "$stage/opt/torch/lib"
  cmake --install "$build" --prefix "$stage/opt/tidemill" --strip >"$work/install.log"
  [ -z "$torch" ] || cp -a "$torch"/lib/lib*.so* "$stage/opt/torch/lib/"
}

tidemill_image() {
  say "building $image"
  copy_programs
  # All but the first stage, whose place the folder of programs takes.
  awk '/^FROM / {stage++} stage > 1' deploy/Dockerfile >"$work/Dockerfile"
  buildah bud --isolation chroot --build-context "build=$stage" --file "$work/Dockerfile" \
    --tag "docker.io/library/$image" . >"$work/image.log" 2>&1 || { tail -n 30 "$work/image.log"; exit 1; }
}

# Without systemd nothing checks the health of containers. Asked every second, not as seldom as the
# compose file says, a service that is still starting would soon have failed too often: one is asked
# again only once it is old enough to answer.
ask_for_health() {
  local container age
  while sleep 1; do
    for container in $(podman ps --quiet --filter "label=com.docker.compose.project=$project"); do
      age=$(($(date +%s) - $(date -d "$(podman inspect --format '{{.State.StartedAt.Format "2006-01-02 15:04:05 MST"}}' "$container" 2>/dev/null)" +%s 2>/dev/null || date +%s)))
      [ "$age" -ge 5 ] || continue
      podman healthcheck run "$container" >/dev/null 2>&1 || true
    done
  done
}

compose() {
  DOCKER_HOST=unix://$work/podman.sock docker-compose --project-name "$project" "$@"
}

start_engine() {
  podman system service --time 0 "unix://$work/podman.sock" >"$work/engine.log" 2>&1 &
  engine=$!
  ask_for_health &
  health=$!
  for _ in $(seq 100); do
    [ -S "$work/podman.sock" ] && return
    sleep .1
  done
  say "podman does not answer; see $work/engine.log"
  exit 1
}

stop_engine() {
  local status=$?
  compose logs --no-color >"$work/services.log" 2>&1 || true
  compose down --volumes --timeout 5 >"$work/down.log" 2>&1 || true
  kill "$health" "$engine" 2>/dev/null || true
  [ "$status" = 0 ] || say "failed; logs are in $work"
  exit "$status"
}

# The scores of a run's JSON object: each model, window and measure with all its digits.
scores() {
  python3 -c '
import json, sys
run = json.load(open(sys.argv[1]))
rows = run["evaluations"]
assert rows, "the run has no evaluations"
for row in rows:
    print(row["trigger"], *[json.dumps(row.get(key), sort_keys=True) for key in sys.argv[2:]])
' "$@"
}

# $1: the run to compare; then what is compared of each score.
same_scores() {
  scores "$work/here.json" "${@:2}" >"$work/here.txt"
  scores "$@" >"${1%.json}.txt"
  if ! diff -u "$work/here.txt" "${1%.json}.txt" >&2; then
    say "the scores of ${1##*/} differ from those of a run on this machine"
    exit 1
  fi
  say "${1##*/}: $(wc -l <"$work/here.txt") scores, equal to the last digit"
}

run_from_outside() {
  local secrets=$work/operator
  rm -rf "$secrets"
  mkdir -p "$secrets" "$work/pipeline"
  cp -a "$(podman volume inspect --format '{{.Mountpoint}}' "${project}_operator-secrets")/." "$secrets/"
  chown -R "$(id -u)" "$secrets"
  chmod 600 "$secrets/own.key" "$secrets/tokens"
  # Storage reads /data in its container; the name is another, so that this is another dataset.
  sed -e 's|path: \.$|path: ${TIDEMILL_DATA}/quickstart|' -e 's|seattle_weather|seattle_weather_outside|' \
    -e 's|^name: quickstart|name: quickstart_outside|' pipelines/quickstart/pipeline.yaml >"$work/pipeline/pipeline.yaml"
  TIDEMILL_DATA=/data TIDEMILL_SERVER=localhost:50056 TIDEMILL_TOKEN_FILE=$secrets/tokens TIDEMILL_TLS_CA=$secrets/ca.pem \
    TIDEMILL_TLS_CERTIFICATE=$secrets/own.pem TIDEMILL_TLS_KEY=$secrets/own.key \
    "$build/bin/tidemill" run "$work/pipeline/pipeline.yaml" --json >"$work/outside.json"
}

engine_settings
base_image
postgres_image
tidemill_image

say "running the quickstart on this machine"
forget_state() { "$build/bin/tidemill" down --purge --yes --state "$work/state" >/dev/null; }
[ ! -e "$work/state" ] || forget_state
"$build/bin/tidemill" run pipelines/quickstart/pipeline.yaml --state "$work/state" --json >"$work/here.json"
forget_state

trap stop_engine EXIT
start_engine
compose down --volumes --timeout 5 >/dev/null 2>&1 || true
export TIDEMILL_DATA=$PWD/pipelines TIDEMILL_HOSTS=localhost
say "starting the stack"
compose up --no-build --detach >"$work/up.log" 2>&1 || { tail -n 30 "$work/up.log"; exit 1; }

say "running the quickstart from outside, over TLS"
run_from_outside
same_scores "$work/outside.json" from to measure slice value low high samples detail

say "running the quickstart by the cli container"
compose run --rm -T cli run quickstart/pipeline.yaml --json >"$work/inside.json" 2>"$work/inside.log" || { cat "$work/inside.log"; exit 1; }
# Intervals are drawn by the samples' keys, which are others in the second dataset of a storage.
same_scores "$work/inside.json" from to measure slice value samples detail
say "passed"
