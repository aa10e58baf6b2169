# Each target does its own set-up. `make quickstart` and `make test` are all a newcomer needs.
.PHONY: setup configure programs build build_cost install wheel wheel_test image_libraries image_test kube_test slurm_test quickstart plugin_examples test test_fast test_under_load nightly operators agreement first_pipeline python_test python_protos every_path_full bench gpu_pack gpu_test suite suite_smoke policies selections own_programs peers docs format check tidy sanitize fuzz clean

BUILD ?= build
STATE ?= .tidemill
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
# Looked up when it is used: set-up may have installed it since make began.
LAUNCHER = $(shell command -v ccache >/dev/null && echo -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
TORCH = $(shell tools/setup.sh --torch-dir)

# What was compiled in one clone of this machine need not be compiled in another. The last two are what ccache
# asks for where headers are precompiled.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1
export CCACHE_SLOPPINESS ?= pch_defines,time_macros

setup:
	@tools/setup.sh

configure: setup
	@cmake --preset release -B $(BUILD) -DTORCH_DIR=$(TORCH) $(LAUNCHER) >$(BUILD).log 2>&1 || \
	  { mkdir -p $(BUILD); cat $(BUILD).log; exit 1; }
	@mv $(BUILD).log $(BUILD)/configure.log

# What users run.
programs: configure
	@cmake --build $(BUILD) --parallel $(JOBS) --target programs

# That, the tests and the benchmarks.
build: configure
	@cmake --build $(BUILD) --parallel $(JOBS)

# Processor seconds of a build from nothing, without a compiler cache.
build_cost: setup
	@tools/build_cost.py

# Programs, manual pages and completion below $(DESTDIR)$(PREFIX).
install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

# $(BUILD)/wheel/tidemill-*.whl: the package of Python with the programs inside, for machines without a compiler.
wheel: configure
	@tools/setup.sh --wheel
	@cmake --build $(BUILD) --parallel $(JOBS) --target programs tidemill_native
	@.venv-wheel/bin/python tools/wheel.py $(BUILD)

# Installs it on a bare Debian 12 and runs the quickstart there: its scores are those of this machine. Needs root.
wheel_test: wheel
	@tools/setup.sh --image
	@tools/wheel_test.sh $(BUILD)

# The packages of the image, derived from the programs; `make check` fails when they are not these.
image_libraries: build
	@python3 tools/image_libraries.py $(BUILD) >deploy/libraries.txt

# Builds the image and runs docker-compose.yml with podman, with WORKERS preprocessing workers: the quickstart's scores in
# containers, and from outside over TLS, are those of this machine to the last digit. Needs root.
WORKERS ?= 10
image_test: build
	@tools/setup.sh --image
	@tools/image_test.sh $(BUILD) $(WORKERS)

# The same with the pods of deploy/kubernetes, by `podman kube play`.
kube_test: build
	@tools/setup.sh --image
	@tools/kube_test.sh $(BUILD)

# A Slurm cluster on this machine, on which workers and trainings are jobs that are preempted and die: scores and weights are
# those of one host. Needs root.
slurm_test: programs
	@python3 tests/slurm/slurm_test.py $(BUILD)/bin

# Ingests a real dataset, replays it, retrains, evaluates every model on every slice of time and
# prints the accuracy matrix.
quickstart: programs
	@$(BUILD)/bin/tidemill run pipelines/quickstart/pipeline.yaml --state $(STATE)

# Verifies the examples of plug-ins, and prints a line for each.
plugin_examples: programs
	@tools/plugin_examples.sh $(BUILD)

# What fails is run once more, alone; what passes then is named as flaky.
test: build
	@tools/run_tests.py $(BUILD)

# Every test three times beside 20 busy processes. Prints what failed; nothing is run a second time.
ROUNDS ?= 3
test_under_load: build
	@tools/run_tests.py $(BUILD) --under-load --rounds $(ROUNDS)

# The tests that start no server: under two minutes once they are built.
test_fast: configure
	@cmake --build $(BUILD) --parallel $(JOBS) --target unit_tests
	@tools/run_tests.py $(BUILD) --parallel $(JOBS) -L unit

# Kills a random preprocessing worker 50 times and the dispatcher 10 times: every batch still comes once.
# Kills each process that keeps, finds or shares prepared samples 20 times: no weight changes.
# A run of plug-ins of five kinds, ten times, in which a dozen processes are killed each time.
# Each failpoint in a run of its own.
# Pairwise selection from 10^6 nodes by worker processes: fails when its objective comes less than
# 98 % of the way from a random subset's to that of the greedy algorithm on all nodes.
# As root, the wheel on a bare Debian, and the image: in containers with ten workers, and in pods.
nightly: build
	@$(MAKE) --no-print-directory agreement
	@$(MAKE) --no-print-directory operators
	@$(MAKE) --no-print-directory first_pipeline
	@$(MAKE) --no-print-directory slurm_test
	@TIDEMILL_PYTHON_SAMPLES=1e6 $(MAKE) --no-print-directory python_test
	@TIDEMILL_PREPARED_KILLS=20 $(BUILD)/bin/prepared_dataset_test --gtest_filter="*Kills*"
	@TIDEMILL_SHARING_KILLS=20 $(BUILD)/bin/sharing_kills_test
	@TIDEMILL_WORKER_KILLS=50 TIDEMILL_DISPATCHER_KILLS=10 $(BUILD)/bin/preprocess_path_test --gtest_filter='*AKilled*'
	@$(BUILD)/bin/preprocess_scaling
	@$(BUILD)/bin/demand_following
	@$(BUILD)/bin/scoring_scaling
	@$(BUILD)/bin/predicted_gains
	@TIDEMILL_PLUGIN_KILLS=10 $(BUILD)/bin/plugin_kills_test
	@TIDEMILL_TEST_FAILPOINTS_ALONE=1 $(BUILD)/bin/failpoint_test
	@TIDEMILL_STALL_SECONDS=600 $(BUILD)/bin/preprocess_limits_test --gtest_filter='*WorkerMemory*'
	@for alpha in 0.9 0.5; do \
	  $(BUILD)/bin/pairwise_scale --nodes=1e6 --alpha=$$alpha --partitions=8 --rounds=32 --central --at-least=0.98 || exit 1; \
	done
	@if [ "$$(id -u)" = 0 ]; then $(MAKE) --no-print-directory wheel_test image_test kube_test; \
	else echo 'nightly: wheel_test, image_test and kube_test are left out: they need root'; fi
	@$(MAKE) --no-print-directory sanitize

# CALLS random calls of the operators that scripts may use, and as many with AddressSanitizer's runtime.
CALLS ?= 1000000
operators: build
	@$(BUILD)/bin/operators_fuzz --calls $(CALLS)
	@cmake --build $(BUILD) --target operators_fuzz_asan
	@ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_sigfpe=0:handle_abort=0:allocator_may_return_null=1 \
	  $(BUILD)/bin/operators_fuzz_asan --calls $(CALLS) --seed 5000000

# Values of COUNT generated expressions over five rows each, against DuckDB's. Needs the network once, for its wheel.
COUNT ?= 10000
agreement: build
	@tools/setup.sh --agreement
	@.venv-duckdb/bin/python tests/expressions/agreement.py $(BUILD)/bin/expression_values --count $(COUNT)

# What `tidemill init` writes for twenty-one tables, beside linear models of scikit-learn on the same rows: fails where it is
# worse beyond its interval. TIDEMILL_DATA: the datasets; tables without theirs are left out. TABLES: only these, divided by
# commas; QUICK=1: `init --quick`; PAGE=1: also writes the section of docs/guides/bring-your-data.md.
first_pipeline: build
	@tools/setup.sh --first-pipeline
	@.venv-sklearn/bin/python benchmarks/first_pipeline/first_pipeline.py --build $(BUILD) --json $(BUILD)/first_pipeline.json \
	  $(if $(TABLES),--tables $(TABLES)) $(if $(QUICK),--quick) $(if $(PAGE),--markdown docs/guides/bring-your-data.md)

# The package of Python as it is built, on a stack: its types, its style, its tests and its notebooks.
python_test: configure
	@cmake --build $(BUILD) --parallel $(JOBS) --target programs tidemill_native batch_sums
	@tools/setup.sh --python
	@cd python && ../.venv-python/bin/ruff check --quiet . ../tools/wheel.py
	@cd python && ../.venv-python/bin/mypy tidemill tests write_protos.py
	@cd python && PYTHONPATH=$(abspath $(BUILD))/lib/tidemill/python ../.venv-python/bin/pytest --quiet

# The messages of protos/ as modules of Python.
python_protos: setup
	@python/write_protos.py

# READS shuffled reads of every format by every way that samples take, each compared by content.
READS ?= 1e6
every_path_full: build
	@TIDEMILL_EVERY_PATH_READS=$(READS) $(BUILD)/bin/every_path_test

# Every figure of docs/performance.md, or NAME; SCALE=1: at 10^5, 10^6 and 10^7 samples.
bench: build
	@tools/setup.sh --bench
	@tools/bench.py --build $(BUILD) $(if $(SCALE),--scale) $(NAME)
	@/usr/bin/python3 tools/pages performance

# Gathers in $(BUILD)/gpu_test what a machine with a card and nothing else lacks: at most 64 MiB.
gpu_pack: configure
	@cmake --build $(BUILD) --parallel $(JOBS) --target gpu_trial
	@tools/gpu_test.py --pack $(BUILD)

# On that machine, in this tree with $(BUILD)/gpu_test: compiles the training loop against the torch of its Python, trains, and
# prints a table. PRETEND=1: on processors; QUICK=1: with fewer samples.
gpu_test:
	@$(or $(wildcard .venv/bin/python),python3) tools/gpu_test.py --build $(BUILD) \
	  $(if $(PRETEND),--pretend) $(if $(QUICK),--quick)

# The benchmark suite: measures what benchmarks/results/suite does not have yet, and writes docs/benchmarks.md.
# NAME: only these entries or domains; BUDGET: only what fits, such as 90m. TIDEMILL_DATA: the datasets.
SUITE_STATE ?= $(BUILD)/suite_state
suite: build
	@$(BUILD)/bin/tidemill bench run $(NAME) $(if $(BUDGET),--budget $(BUDGET)) --state $(SUITE_STATE); \
	  code=$$?; [ $$code = 0 ] || [ $$code = 1 ] || [ $$code = 8 ] || exit $$code
	@/usr/bin/python3 tools/pages --build $(BUILD) benchmarks

# A short run of each entry of the suite that needs no data from outside, on a stack of its own, whose name is new:
# the database of a state folder that was removed by hand would refuse another folder of the same name.
suite_smoke: programs
	@state=$$(mktemp -d "$(BUILD)/suite_smoke.XXXXXX"); code=0; \
	  $(BUILD)/bin/tidemill bench run --smoke --state "$$state/state" --work "$$state/work" || code=$$?; \
	  $(BUILD)/bin/tidemill down --purge --yes --quiet --state "$$state/state" && rm -r "$$state"; exit $$code

# Measures what benchmarks/results/comparisons does not have yet of one retraining policy after the other, and writes
# docs/policies.md. TIDEMILL_DATA: the datasets; DATASET: only these of benchmarks/comparisons/; POLICY: only this one; QUICK=1: a
# trial, kept in the build folder.
TRIAL = $(if $(QUICK),$(BUILD)/trial)
COMPARE = $(BUILD)/bin/tidemill bench run --suite benchmarks/comparisons --state $(BUILD)/comparisons_state $(if $(QUICK),--quick --results $(TRIAL)/comparisons) \
  $(if $(POLICY),--policies "$(POLICY)")
SHOW = /usr/bin/python3 tools/pages --build $(BUILD) $(if $(QUICK),--results $(TRIAL) --into $(TRIAL))
policies: build
	@tools/setup.sh --bench
	@$(COMPARE) --parts policies -- $(DATASET)
	@$(SHOW) policies

# The same of selection and downsampling policies, and docs/selections.md.
selections: build
	@tools/setup.sh --bench
	@$(COMPARE) --parts selections -- $(DATASET)
	@$(SHOW) selections

# Networks and loops of users on real data, beside ours: their scores, and the bounds that these must reach. TIDEMILL_DATA: the
# datasets; NAME: only these of benchmarks/programs/.
own_programs: programs
	@tools/setup.sh --python
	@PYTHONPATH=$(abspath $(BUILD))/lib/tidemill/python TIDEMILL_PLUGIN_PYTHON=$(CURDIR)/.venv-python/bin/python3 \
	  $(BUILD)/bin/tidemill bench run --suite benchmarks/programs --state $(BUILD)/programs_state $(NAME)

# Other loaders on the same data, beside ours; writes docs/peers.md. What is measured is not measured again without
# AGAIN=1. NAME: only these of benchmarks/peers/loaders/; QUICK=1: a trial, kept in the build folder.
PEERS_VENV = $(or $(TIDEMILL_PEERS_VENV),$(BUILD)/peers/environments)
peers: build
	@tools/setup.sh --bench
	@benchmarks/peers/setup.sh $(abspath $(PEERS_VENV))
	@tools/compare_peers.py --build $(BUILD) --environments $(PEERS_VENV) $(if $(AGAIN),--again) \
	  $(if $(QUICK),--quick --results $(TRIAL)/peers.json) $(NAME)
	@$(SHOW) peers

# Writes docs/reference/ from the program's own descriptors.
docs: build
	@$(BUILD)/bin/tidemill-reference docs/reference

format:
	@git ls-files -co --exclude-standard '*.h' '*.cc' | xargs clang-format -i

check:
	@tools/setup.sh --checks
	@$(MAKE) --no-print-directory build
	@tools/check.sh $(BUILD)

# clang-tidy, and clang's thread-safety analysis, over what has changed since REV. `make check` looks at everything.
REV ?= HEAD
tidy: build
	@tools/setup.sh --checks
	@tools/tidy.py $(BUILD) $(if $(REV),--since $(REV))

# AddressSanitizer, then ThreadSanitizer, over all that needs no torch.
sanitize:
	@tools/setup.sh --checks
	@tools/sanitize.sh

# Each fuzz target for SECONDS with AddressSanitizer and UndefinedBehaviorSanitizer; NAME: only some.
SECONDS ?= 60
fuzz:
	@tools/setup.sh --checks
	@tools/fuzz.sh -j $(JOBS) $(SECONDS) $(NAME)

clean:
	@rm -rf build
