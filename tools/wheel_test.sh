#!/usr/bin/env bash
# Installs the wheel on a bare Debian 12, a folder of debootstrap's with python3 and no compiler, and runs the quickstart there
# without a network: its scores are those of this machine to the last digit. Prints how long it takes from `pip install` to
# the matrix. Needs root. $1: the build folder, with the wheel of `make wheel`.
# shellcheck disable=SC2016 # What is in single quotes is expanded inside.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
work=$build/wheel_test
root=$work/root
wheels=$work/wheels
. tools/containers.sh

[ "$(id -u)" = 0 ] || { say "needs root, for debootstrap and chroot"; exit 1; }
shopt -s nullglob
made=("$build"/wheel/tidemill-*.whl)
[ ${#made[@]} = 1 ] || { say "there is no wheel in $build/wheel; run make wheel"; exit 1; }

now() { date +%s%3N; }
# $1 milliseconds, in seconds.
seconds() { printf '%d.%03d s' $(($1 / 1000)) $(($1 % 1000)); }

# What pip would fetch: the wheel and all that it requires.
download() {
  local began
  began=$(now)
  rm -rf "$wheels"
  .venv-wheel/bin/pip download --quiet --disable-pip-version-check --dest "$wheels" "${made[0]}" 2>"$work/download.log" ||
    { cat "$work/download.log"; exit 1; }
  say "downloaded $(du --total --bytes "$wheels"/* | awk 'END {printf "%.0f MB", $1 / 1e6}') in $(seconds $(($(now) - began)))"
}

bare_root() {
  if [ ! -e "$work/root.tar" ]; then
    say "making a bare Debian 12 with debootstrap"
    rm -rf "$root"
    debootstrap --variant=minbase --include=python3,python3-venv bookworm "$root" >"$work/debootstrap.log"
    tar -C "$root" -cf "$work/root.new" . && mv "$work/root.new" "$work/root.tar"
  fi
  rm -rf "$root"
  mkdir "$root"
  tar -C "$root" -xf "$work/root.tar"
  mkdir "$root/wheels"
}

# Runs a script as root of that Debian, apart from the processes and the network of this machine. Nothing outlives the call.
inside() {
  unshare --mount --pid --net --fork --kill-child bash -ec '
    ip link set lo up
    mount -t proc proc "$0/proc"
    mount --rbind /dev "$0/dev"
    mount -t tmpfs tmpfs "$0/dev/shm"
    mount --bind "$1" "$0/wheels"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 chroot "$0" bash -ec "cd; $2"' \
    "$root" "$wheels" "$1"
}

mkdir -p "$work"
remove_root() {
  local code=$?
  rm -rf "$root"
  [ "$code" = 0 ] || say "failed; logs are in $work"
}
trap remove_root EXIT
download
bare_root
inside 'for name in gcc g++ cc cmake psql bwrap; do ! command -v $name; done; python3 -m venv tidemill'

say "installing the wheel and running the quickstart as root"
began=$(now)
inside '. tidemill/bin/activate
  pip install --quiet --disable-pip-version-check --no-index --find-links /wheels /wheels/tidemill-*.whl
  date +%s%3N >installed
  tidemill run' >"$work/inside.log" 2>&1 || { cat "$work/inside.log"; exit 1; }
total=$(($(now) - began))
sed -n '/^accuracy/,$p' "$work/inside.log" >&2
say "from pip install to the matrix: $(seconds "$total"), of which pip took $(seconds $(($(cat "$root/root/installed") - began)))"

run_here
inside '. tidemill/bin/activate; tidemill run --json' >"$work/inside.json" 2>>"$work/inside.log" || { tail "$work/inside.log"; exit 1; }
same_scores "$work/inside.json" from to measure slice value low high samples detail

say "the same as another user, and a plug-in in Python without bubblewrap"
inside 'useradd --create-home person; chmod a+x /root
  su person -c "PATH=/root/tidemill/bin:\$PATH; cd; tidemill run --json >person.json
    tidemill plugin new trigger weekly_rise >/dev/null; tidemill plugin show weekly_rise.py:WeeklyRise"' >"$work/person.log" 2>&1 ||
  { cat "$work/person.log"; exit 1; }
cp "$root/home/person/person.json" "$work/person.json"
same_scores "$work/person.json" from to measure slice value low high samples detail
