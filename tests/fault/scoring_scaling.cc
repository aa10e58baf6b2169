// How much faster two workers make the pass in which a training scores samples, beside how much
// faster they make a pass in which it trains, where an op waits. Prints the times of each pass with
// and without workers. Exits with 1 when a method's scoring pass gains less than nine tenths of
// what the plain pass gains.
#include <fstream>
#include <optional>
#include <string>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/numbers/random.h"
#include "base/time.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

constexpr double kLeastShareOfGain = 0.9;
constexpr int kNumSamples = 20'000;

// One trigger of all samples. Each fifth sample waits for a millisecond.
std::string WritePipeline(const std::string& folder, const std::string& downsampling,
                          bool by_workers) {
  std::ofstream data(folder + "/data.csv");
  data << "time,a,b,class\n";
  for (int row = 0; row < kNumSamples; ++row) {
    const RandomKey key{.seed = 3, .purpose = "scoring_scaling"};
    const double a = RandomUnit(key, 2 * row);
    const double b = RandomUnit(key, 2 * row + 1);
    data << fmt::format("{},{:.6f},{:.6f},{}\n",
                        FormatTimestamp({1'700'000'000'000'000 + row * 1'000'000LL}), a, b,
                        a > b ? "UP" : "DOWN");
  }
  const std::string path = folder + "/pipeline.yaml";
  std::ofstream(path) << fmt::format(R"(version: 1
name: scoring
datasets:
  data:
    path: .
    files: "data.csv"
    format: {{type: csv, header: true}}
    event_time: {{column: time}}
    label: {{column: class, classes: [DOWN, UP]}}
    settle: 0s
preprocess:
  dataset: data
{}  graph:
    - parse_csv: {{columns: [a, b], dtype: float32}}
    - delay: {{milliseconds: 1, share: 0.2, per: sample}}
    - stack: {{columns: all, into: input}}
    - label: {{into: target}}
model: {{type: mlp, hidden: [8], outputs: 2}}
trigger: {{type: amount, samples: {}}}
selection: new_data
training:
  device: cpu
  epochs: 1
  batch_size: 256
{}  optimizer: {{type: sgd, lr: 1e-2}}
  loss: cross_entropy
  seed: 11
  cache: off
evaluation:
  - dataset: data
    windows: {{type: between_triggers}}
    measures: [accuracy]
)",
                                     by_workers ? "  workers: {}\n" : "", kNumSamples,
                                     downsampling);
  return path;
}

// The seconds of the pass that the pipeline is about.
std::optional<double> Seconds(const std::string& method, bool by_workers) {
  const Stack stack;
  if (stack.Tidemill({"up"}, {{"TIDEMILL_WORKERS", "2"}}).exit_code != 0) return std::nullopt;
  const std::string downsampling =
      method.empty() ? "" : fmt::format("  downsampling: {{type: {}, fraction: 0.5}}\n", method);
  const CommandResult result =
      stack.Tidemill({"run", WritePipeline(stack.files(), downsampling, by_workers), "--json"});
  if (result.exit_code != 0) {
    fmt::print(stderr, "{}\n{}\n", result.err, stack.Logs());
    return std::nullopt;
  }
  const nlohmann::json trigger = result.Json().at("triggers").at(0);
  return method.empty() ? trigger.at("stages").at("train").get<double>()
                        : trigger.at("downsampling").at("scoring_seconds").get<double>();
}

// How many times faster two workers make a pass.
std::optional<double> Gain(const std::string& method) {
  const auto here = Seconds(method, false);
  const auto by_workers = Seconds(method, true);
  if (!here || !by_workers) return std::nullopt;
  fmt::print("{}: {:.2f} s by the training itself, {:.2f} s by two workers ({:.2f} times)\n",
             method.empty() ? "training on all samples" : "scoring for " + method, *here,
             *by_workers, *here / *by_workers);
  return *here / *by_workers;
}

int Main() {
  const auto plain = Gain("");
  bool is_enough = plain.has_value();
  for (const char* const method : {"loss", "margin"}) {
    const auto gain = Gain(method);
    is_enough = is_enough && gain && *gain >= kLeastShareOfGain * *plain;
  }
  return is_enough ? 0 : 1;
}

}  // namespace
}  // namespace tidemill::tests

int main() { return tidemill::tests::Main(); }
