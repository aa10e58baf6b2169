// Trainings that share what they prepare: the models are the same as without sharing, and each
// sample is prepared once.
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/run_comparison.h"
#include "tests/small_pipeline.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

// Two runs that train at the same time, on one trainer server.
struct Pair {
  std::array<std::vector<std::string>, 2> fingerprints;
  // Sums over all triggers of both runs.
  int64_t made = 0;
  int64_t taken = 0;
  int64_t again = 0;
  int64_t failed = 0;
  // The samples of all epochs of one run.
  int64_t visited = 0;
};

// Preparing an epoch takes a second, so that both trainings run at the same time.
std::string WriteSlowPipeline(const std::string& folder, const std::string& name,
                              const std::string& share, int batch_size) {
  const std::string path = WriteSmallPipeline(folder, "{type: amount, samples: 600}");
  ReplaceIn(path, "name: small", "name: " + name);
  ReplaceIn(path, "- standardize", "- delay: {milliseconds: 2, per: sample}\n    - standardize");
  ReplaceIn(path, "batch_size: 16", fmt::format("batch_size: {}\n  share: {}", batch_size, share));
  const std::string renamed = fmt::format("{}/{}.yaml", folder, name);
  std::filesystem::rename(path, renamed);
  return renamed;
}

// Runs two pipelines side by side, and returns what `run --json` reports about each.
std::array<nlohmann::json, 2> RunTogether(const Stack& stack,
                                          const std::array<std::string, 2>& pipelines) {
  std::vector<std::unique_ptr<RunningCommand>> runs;
  for (size_t i = 0; i < 2; ++i) {
    const std::string scratch = fmt::format("{}/scratch{}", stack.files(), i);
    std::filesystem::create_directory(scratch);
    runs.push_back(std::make_unique<RunningCommand>(
        std::vector<std::string>{"run", pipelines[i], "--json", "--state", stack.state()},
        std::map<std::string, std::string>{}, scratch));
  }
  std::array<nlohmann::json, 2> results;
  for (size_t i = 0; i < 2; ++i) {
    const CommandResult result = runs[i]->Result();
    EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
    results[i] = result.Json();
  }
  return results;
}

void StartWithTwoTrainings(const Stack& stack) {
  EXPECT_EQ(stack.Tidemill({"up"}, {{"TIDEMILL_TRAININGS", "2"}}).exit_code, 0) << stack.Logs();
}

Pair RunBoth(const std::string& share, std::array<int, 2> batch_sizes) {
  const Stack stack;
  StartWithTwoTrainings(stack);
  std::array<std::string, 2> pipelines;
  for (size_t i = 0; i < 2; ++i) {
    pipelines[i] =
        WriteSlowPipeline(stack.files(), fmt::format("pair{}", i), share, batch_sizes[i]);
  }
  Pair pair;
  const auto results = RunTogether(stack, pipelines);
  for (size_t i = 0; i < 2; ++i) {
    const nlohmann::json& json = results[i];
    pair.fingerprints[i] = Fingerprint(json);
    for (const auto& trigger : json.at("triggers")) {
      if (i == 0) pair.visited += 4 * trigger.at("samples").get<int64_t>();
      const auto shared = trigger.find("shared");
      if (shared == trigger.end()) continue;
      pair.made += shared->at("made").get<int64_t>();
      pair.taken += shared->at("taken").get<int64_t>();
      pair.again += shared->at("again").get<int64_t>();
      pair.failed += shared->at("failed").get<int64_t>();
    }
  }
  return pair;
}

TEST(SharedTrainings, MakeTheModelsThatTheyWouldMakeAlone) {
  const Pair off = RunBoth("off", {16, 16});
  EXPECT_EQ(off.fingerprints[0].front(), "succeeded");
  EXPECT_EQ(off.fingerprints[0], off.fingerprints[1]);
  EXPECT_EQ(off.made + off.taken + off.again, 0);

  const Pair window = RunBoth("window", {16, 16});
  EXPECT_EQ(window.fingerprints[0], off.fingerprints[0]);
  EXPECT_EQ(window.fingerprints[1], off.fingerprints[0]);
  EXPECT_GT(window.taken, 0);
  EXPECT_EQ(window.failed, 0);

  const Pair strict = RunBoth("strict", {16, 16});
  EXPECT_EQ(strict.fingerprints[0], off.fingerprints[0]);
  EXPECT_EQ(strict.fingerprints[1], off.fingerprints[0]);
  EXPECT_EQ(strict.made, strict.visited) << "each sample was prepared once";
  EXPECT_EQ(strict.taken, strict.visited);
  EXPECT_EQ(strict.again, 0);
}

TEST(SharedTrainings, MayHaveBatchesOfOtherSizes) {
  const Pair off = RunBoth("off", {16, 50});
  const Pair strict = RunBoth("strict", {16, 50});
  EXPECT_EQ(strict.fingerprints, off.fingerprints);
  EXPECT_NE(strict.fingerprints[0], strict.fingerprints[1]);
  EXPECT_EQ(strict.made, strict.visited);
  EXPECT_EQ(strict.taken, strict.visited);
}

// Trains once, on a part of the samples, and keeps what the slow op makes.
std::string WritePartPipeline(const std::string& folder, const std::string& name,
                              const std::string& where, const std::string& cache) {
  const std::string path = WriteSmallPipeline(folder, "{type: amount, samples: 1200}");
  ReplaceIn(path, "name: small", "name: " + name);
  ReplaceIn(path, "- standardize", "- delay: {milliseconds: 3, per: sample}\n    - standardize");
  ReplaceIn(path, "{type: balanced, fraction: 0.8, weights: inverse_probability}",
            fmt::format("{{type: new_data, where: \"{}\"}}", where));
  ReplaceIn(path, "batch_size: 16", "batch_size: 16\n  share: off\n  cache: " + cache);
  const std::string renamed = fmt::format("{}/{}.yaml", folder, name);
  std::filesystem::rename(path, renamed);
  return renamed;
}

struct Parts {
  std::array<std::vector<std::string>, 2> fingerprints;
  int64_t samples = 0;   // In both sets, together.
  int64_t prepared = 0;  // Over all epochs.
};

// `c` is uniform between 0 and 1.
Parts RunParts(const std::string& cache) {
  const Stack stack;
  StartWithTwoTrainings(stack);
  const auto results =
      RunTogether(stack, {WritePartPipeline(stack.files(), "low", "c < 0.714", cache),
                          WritePartPipeline(stack.files(), "high", "c >= 0.286", cache)});
  Parts parts;
  for (size_t i = 0; i < 2; ++i) {
    parts.fingerprints[i] = Fingerprint(results[i]);
    const auto& trigger = results[i].at("triggers").at(0);
    const auto samples = trigger.at("samples").get<int64_t>();
    parts.samples += samples;
    parts.prepared += 4 * samples;
    if (trigger.contains("prepared")) {
      parts.prepared -= trigger.at("prepared").at("found").get<int64_t>();
    }
  }
  return parts;
}

TEST(SharedTrainings, OfSetsThatOverlapPrepareTheOverlapOnce) {
  const Parts off = RunParts("off");
  EXPECT_EQ(off.prepared, 4 * off.samples);
  const Parts kept = RunParts("{type: after, op: delay}");
  EXPECT_EQ(kept.fingerprints, off.fingerprints);
  EXPECT_EQ(kept.samples, off.samples);
  // All rows are in one of the sets, 60 % of each in both.
  constexpr int64_t kRows = 1200;
  EXPECT_GT(off.samples, kRows * 4 / 3);
  EXPECT_GE(kept.prepared, kRows);
  EXPECT_LE(kept.prepared, kRows + kRows / 100);
}

}  // namespace
}  // namespace tidemill::tests
