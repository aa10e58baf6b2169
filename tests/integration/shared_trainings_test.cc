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

Pair RunBoth(const std::string& share, std::array<int, 2> batch_sizes) {
  const Stack stack;
  EXPECT_EQ(stack.Tidemill({"up"}).exit_code, 0);
  EXPECT_EQ(stack.Tidemill({"down"}).exit_code, 0);
  std::ofstream(stack.state() + "/tidemill.yaml", std::ios::app)
      << "trainer_server:\n  cpu_slots: 2\n";
  EXPECT_EQ(stack.Tidemill({"up"}).exit_code, 0);
  std::vector<std::string> pipelines;
  for (size_t i = 0; i < 2; ++i) {
    pipelines.push_back(
        WriteSlowPipeline(stack.files(), fmt::format("pair{}", i), share, batch_sizes[i]));
  }
  std::vector<std::unique_ptr<RunningCommand>> runs;
  for (size_t i = 0; i < 2; ++i) {
    const std::string scratch = fmt::format("{}/scratch{}", stack.files(), i);
    std::filesystem::create_directory(scratch);
    runs.push_back(std::make_unique<RunningCommand>(
        std::vector<std::string>{"run", pipelines[i], "--json", "--state", stack.state()},
        std::map<std::string, std::string>{}, scratch));
  }
  Pair pair;
  for (size_t i = 0; i < 2; ++i) {
    const CommandResult result = runs[i]->Result();
    EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
    const nlohmann::json json = result.Json();
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

}  // namespace
}  // namespace tidemill::tests
