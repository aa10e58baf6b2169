# What tools/image_test.sh and tools/kube_test.sh share, which source it: images, and scores. $build is the build folder,
# $work the folder of the test.
# shellcheck shell=bash disable=SC2154
image=tidemill
stage=$work/programs

say() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2; }

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
  cp .venv/bin/kubectl "$stage/opt/tidemill/bin/"
}

tidemill_image() {
  say "building $image"
  copy_programs
  # All but the first stage, whose place the folder of programs takes.
  awk '/^FROM / {stage++} stage > 1' deploy/Dockerfile >"$work/Dockerfile"
  buildah bud --isolation chroot --build-context "build=$stage" --file "$work/Dockerfile" \
    --tag "docker.io/library/$image" . >"$work/image.log" 2>&1 || { tail -n 30 "$work/image.log"; exit 1; }
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

# The scores that containers must have, in $work/here.json.
run_here() {
  say "running the quickstart on this machine"
  forget_state() { "$build/bin/tidemill" down --purge --yes --state "$work/state" >/dev/null; }
  [ ! -e "$work/state" ] || forget_state
  "$build/bin/tidemill" run pipelines/quickstart/pipeline.yaml --state "$work/state" --json >"$work/here.json"
  forget_state
}
