// A sweep of twelve settings of a small network over photographs, with `tidemill sweep`, against
// the twelve runs one after the other: once without a cache, so that none finds what another one
// has prepared, and once with the default, where all find what the first one has. Each side has a
// new stack. The values of all settings are the same, to the last digit; halving finds the same
// winner.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "benchmarks/bench_folder.h"
#include "benchmarks/fail.h"
#include "benchmarks/paired.h"
#include "benchmarks/system/served_epochs.h"
#include "tests/stack.h"

namespace tidemill::benchmarks {
namespace {

constexpr int64_t kPhotographs = 1'024;
constexpr int kRepetitions = 3;
constexpr char kRates[] = "training.optimizer.lr=1e-3,3e-3,1e-2,3e-2";
constexpr char kSizes[] = "training.batch_size=16,32,64";
constexpr int64_t kClasses = 10;

constexpr char kPipeline[] = R"(version: 1
name: photographs
datasets:
  photographs:
    path: {0}
    files: "*.jpg"
    format: {{type: single_file}}
    event_time: {{row: {{start: "2024-01-01T00:00:00Z", step: 1s}}}}
    label: {{sidecar: .number, kind: class}}
    settle: 1ms
preprocess:
  dataset: photographs
  graph:
    - decode_image: {{height: 375, width: 500}}
    - resize: {{height: 64, width: 86, antialias: true}}
    - random_crop: {{column: image, height: 56, width: 56}}
    - normalize: {{column: image, scale: 0.0039215686}}
    - stack: {{columns: [image], into: input}}
    - label: {{into: target}}
model: {{type: mlp, hidden: [32], outputs: 10}}
trigger: {{type: amount, samples: 256}}
selection: {{type: new_data}}
training: {{device: cpu, epochs: 4, batch_size: 32, optimizer: {{type: sgd, lr: 1e-2}}, loss: cross_entropy, num_threads: 1, seed: 42}}
evaluation:
  - dataset: photographs
    windows: {{type: between_triggers}}
    models: active
    measures: [accuracy]
    bootstrap: {{replicates: 0}}
)";

nlohmann::json Tidemill(const tests::Stack& stack, const std::vector<std::string>& words) {
  const tests::CommandResult result = stack.Tidemill(words);
  if (result.exit_code != 0) Fail(result.err);
  return result.Json();
}

// By the values of a setting: what its models in use reached in each window, to the last digit.
using Values = std::map<std::string, std::string>;

// What one side has found, and for how long.
struct Outcome {
  Values values;
  std::string best;
  double seconds = 0;
};

std::string NameOf(const nlohmann::json& lr, const nlohmann::json& batch_size) {
  return fmt::format(
      "{} {}", std::stod(lr.is_string() ? lr.get<std::string>() : lr.dump()),
      std::stoi(batch_size.is_string() ? batch_size.get<std::string>() : batch_size.dump()));
}

void StartWithFourTrainings(const tests::Stack& stack) {
  if (stack.Tidemill({"up"}, {{"TIDEMILL_TRAININGS", "4"}}).exit_code != 0) Fail(stack.Logs());
}

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string ValuesOf(const nlohmann::json& run) {
  std::string values;
  for (const auto& row : run.at("composite").at("active")) values += row.at("value").dump() + " ";
  if (values.empty()) Fail("a run has no value");
  return values;
}

Outcome Runs(const std::string& pipeline, const std::string& cache) {
  const tests::Stack stack;
  StartWithFourTrainings(stack);
  Outcome outcome;
  const auto begin = std::chrono::steady_clock::now();
  for (const char* const lr : {"1e-3", "3e-3", "1e-2", "3e-2"}) {
    for (const char* const batch_size : {"16", "32", "64"}) {
      const auto run =
          Tidemill(stack, {"run", pipeline, "--set", fmt::format("training.optimizer.lr={}", lr),
                           "--set", fmt::format("training.batch_size={}", batch_size), "--set",
                           "training.cache=" + cache, "--json"});
      outcome.values[NameOf(lr, batch_size)] = ValuesOf(run);
    }
  }
  outcome.seconds = SecondsSince(begin);
  return outcome;
}

Outcome Sweep(const std::string& pipeline, const std::vector<std::string>& more) {
  const tests::Stack stack;
  StartWithFourTrainings(stack);
  Outcome outcome;
  std::vector<std::string> words = {"sweep", pipeline, "--set", kRates, "--set", kSizes, "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const auto begin = std::chrono::steady_clock::now();
  const auto sweep = Tidemill(stack, words);
  outcome.seconds = SecondsSince(begin);
  for (const auto& setting : sweep.at("settings")) {
    const auto& values = setting.at("values");
    const std::string name =
        NameOf(values.at("training.optimizer.lr"), values.at("training.batch_size"));
    if (setting.at("setting") == sweep.at("best")) outcome.best = name;
    const std::string run = setting.at("runs").back().at("run").dump();
    outcome.values[name] = ValuesOf(Tidemill(stack, {"runs", "show", run, "--json"}));
  }
  return outcome;
}

// The files have ten classes.
std::string WriteData(const std::string& folder) {
  WritePhotographs(folder + "/photographs", kPhotographs);
  for (int64_t number = 0; number < kPhotographs; ++number) {
    std::ofstream(fmt::format("{}/photographs/{:04}.number", folder, number))
        << number % 64 % kClasses << "\n";
  }
  const std::string pipeline = folder + "/pipeline.yaml";
  std::ofstream(pipeline) << fmt::format(kPipeline, folder + "/photographs");
  return pipeline;
}

void Run() {
  const BenchFolder root("sweep_vs_runs");
  const std::string pipeline = WriteData(root.path());
  PairedRates runs_off;
  PairedRates runs_kept;
  PairedRates halving;
  for (int i = 0; i < kRepetitions; ++i) {
    const Outcome off = Runs(pipeline, "off");
    const Outcome sweep = Sweep(pipeline, {});
    const Outcome kept = Runs(pipeline, "auto");
    const Outcome halved = Sweep(pipeline, {"--halving"});
    if (sweep.values != off.values || kept.values != off.values) Fail("the values differ");
    fmt::print(stderr,
               "{:.1f} s for twelve runs, {:.1f} s with what the first keeps; {:.1f} s for the "
               "sweep, {:.1f} s with halving; best {}, with halving {}\n",
               off.seconds, kept.seconds, sweep.seconds, halved.seconds, sweep.best, halved.best);
    if (halved.best != sweep.best) Fail("halving has another winner");
    runs_off.Add(1 / sweep.seconds, 1 / off.seconds);
    runs_kept.Add(1 / sweep.seconds, 1 / kept.seconds);
    halving.Add(1 / halved.seconds, 1 / off.seconds);
  }
  Report(runs_off.Result("sweep_vs_runs", "sweeps/s"));
  Report(halving.Result("sweep_halving_vs_runs", "sweeps/s"));
  Report(runs_kept.Result("sweep_vs_runs_that_find_rows", "sweeps/s"));
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() {
  tidemill::benchmarks::Run();
  return 0;
}
