#!/usr/bin/env bash
# Plays the pods of deploy/kubernetes with podman, and runs the quickstart in them; see tests/image/README.md. $1: the
# build folder; $2: the number of preprocessing workers, 3.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
copies=${2:-3}
work=$build/kube_test
network=tidemill-kube-test
. tools/containers.sh

# Secrets as a user makes them, and a file for each pod.
write_pods() {
  rm -rf "$work/pods"
  deploy/kubernetes/secrets.sh "$work/authority" >"$work/secrets.yaml"
  .venv/bin/python tools/kubernetes/pods.py deploy/kubernetes/overlays/try "$work/secrets.yaml" "$work/pods" "$copies" >"$work/pods.txt"
}

# The network's names are those of Services.
play_pods() {
  local pod service rest
  podman network create "$network" >/dev/null
  while read -r pod service rest; do
    podman kube play --quiet --network "$network:alias=$service" "$work/pods/$pod.yaml" >>"$work/play.log" 2>&1 ||
      { tail -n 20 "$work/play.log"; say "podman cannot play $pod"; exit 1; }
  done <"$work/pods.txt"
}

# As their readiness probes ask.
await_pods() {
  local pod service container probe
  while read -r -u 3 pod service container probe; do
    for attempt in $(seq 90); do
      # shellcheck disable=SC2086
      podman exec "$pod-$container" $probe >"$work/$pod.probe" 2>&1 </dev/null && break
      [ "$attempt" != 90 ] || { cat "$work/$pod.probe" >&2; say "$pod is not ready"; exit 1; }
      sleep 1
    done
  done 3<"$work/pods.txt"
}

# Each copy has registered, under its pod's name.
await_workers() {
  local registered
  for _ in $(seq 60); do
    registered=$(for number in $(seq 0 $((copies - 1))); do
      podman logs "preprocess-worker-$number-tidemill" 2>&1 | grep -o "registered worker=\"preprocess-worker-$number\"" | head -n 1
    done | wc -l)
    [ "$registered" != "$copies" ] || return 0
    sleep 1
  done
  say "only $registered of $copies workers have registered, each under its pod's name"
  exit 1
}

end_pods() {
  local pod service container rest
  while read -r pod service container rest; do
    podman logs "$pod-$container" >"$work/$pod.log" 2>&1 || true
    podman pod rm --force --time 5 "$pod" >/dev/null 2>&1 || true
  done <"$work/pods.txt"
  podman network rm --force "$network" >/dev/null 2>&1 || true
  for volume in tidemill postgres; do podman volume rm "$volume" >/dev/null 2>&1 || true; done
}

end_test() {
  local status=$?
  end_pods
  [ "$status" = 0 ] || say "failed; logs are in $work"
  exit "$status"
}

engine_settings
base_image
postgres_image
tidemill_image
run_here
write_pods
end_pods
trap end_test EXIT
say "playing $(wc -l <"$work/pods.txt") pods"
play_pods
await_pods

await_workers

say "running the quickstart in the pod of the command"
podman cp pipelines/quickstart cli-0-tidemill:/data/quickstart
podman exec cli-0-tidemill tidemill run /data/quickstart/pipeline.yaml --json >"$work/quickstart.json" 2>"$work/run.log" ||
  { cat "$work/run.log"; exit 1; }
same_scores "$work/quickstart.json" from to measure slice value low high samples detail
say "passed"
