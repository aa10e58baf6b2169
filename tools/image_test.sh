#!/usr/bin/env bash
# Builds the image and runs the compose stack with podman; see tests/image/README.md. $1: the build folder; $2: the number
# of preprocessing workers, 1.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
workers=${2:-1}
work=$build/image_test
project=tidemill-image-test
. tools/containers.sh

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

run_here

trap stop_engine EXIT
start_engine
compose down --volumes --timeout 5 >/dev/null 2>&1 || true
export TIDEMILL_DATA=$PWD/pipelines TIDEMILL_HOSTS=localhost
say "starting the stack with $workers preprocessing workers"
compose up --no-build --detach --scale "preprocess-worker=$workers" >"$work/up.log" 2>&1 || { tail -n 30 "$work/up.log"; exit 1; }

say "running the quickstart from outside, over TLS"
run_from_outside
same_scores "$work/outside.json" from to measure slice value low high samples detail

say "running the quickstart by the cli container"
compose run --rm -T cli run quickstart/pipeline.yaml --json >"$work/inside.json" 2>"$work/inside.log" || { cat "$work/inside.log"; exit 1; }
# Intervals are drawn by the samples' keys, which are others in the second dataset of a storage.
same_scores "$work/inside.json" from to measure slice value samples detail
say "passed"
