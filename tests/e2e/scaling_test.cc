// An engine that starts workers and trainer servers by need: models are those of a stack that does
// not, and nothing stays when the need is over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/becomes.h"
#include "tests/photos.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kImages = 200;
constexpr char kWorkerProgram[] = "tidemill-preprocess-worker";
constexpr char kTrainerProgram[] = "tidemill-trainer-server";

// A stack with photographs and, if given, a section `engine`.
class ScaledStack {
 public:
  explicit ScaledStack(const std::string& engine = "") {
    for (int i = 0; i < kImages; ++i) {
      WritePhoto(stack_.files() + "/photos", i, static_cast<uint32_t>(i));
    }
    pipeline_ = stack_.files() + "/pipeline.yaml";
    std::ofstream(pipeline_) << PhotosPipelineText(
        stack_.files(), {.workers = "\n  workers: {}", .trigger = 100, .epochs = 12});
    if (!engine.empty()) {
      std::filesystem::create_directories(stack_.state());
      std::ofstream(stack_.state() + "/tidemill.yaml") << "engine:\n" << engine;
    }
    EXPECT_EQ(Tidemill({"up"}).exit_code, 0) << stack_.Logs();
  }

  CommandResult Tidemill(const std::vector<std::string>& words) const {
    return stack_.Tidemill(words);
  }
  // Runs the pipeline. Returns its weights, trigger by trigger.
  std::vector<std::string> Weights() const {
    const CommandResult run = Tidemill({"run", pipeline_, "--json", "--set", "training.cache=off"});
    EXPECT_EQ(run.exit_code, 0) << run.err << stack_.Logs();
    if (run.exit_code != 0) return {};
    const std::string number = std::to_string(run.Json().at("run").get<int>());
    const nlohmann::json shown = Tidemill({"runs", "show", number, "--json"}).Json();
    std::vector<std::string> weights;
    for (const auto& trigger : shown.at("triggers")) {
      weights.push_back(trigger.at("weights_digest"));
    }
    return weights;
  }
  nlohmann::json Workers() const { return Tidemill({"workers", "list", "--json"}).Json(); }
  // The names of workers that live.
  std::vector<std::string> Alive() const {
    std::vector<std::string> names;
    const nlohmann::json listed = Workers();
    for (const auto& worker : listed.at("workers")) {
      if (worker.at("state") == "alive") names.push_back(worker.at("name"));
    }
    return names;
  }
  const Stack& stack() const { return stack_; }

 private:
  Stack stack_;
  std::string pipeline_;
};

TEST(Scaling, WorkersStartByNeedAndEndAfterIt) {
  const ScaledStack plain;
  const std::vector<std::string> expected = plain.Weights();
  ASSERT_THAT(expected, SizeIs(2));

  const ScaledStack scaled("  backend: local\n  workers: {most: 2, settle: 1s}\n");
  EXPECT_THAT(scaled.stack().Processes(kWorkerProgram), IsEmpty());
  EXPECT_EQ(scaled.Weights(), expected);
  const nlohmann::json decisions = scaled.Workers().at("scaling").at("decisions");
  ASSERT_FALSE(decisions.empty());
  const nlohmann::json& first = decisions.back();
  EXPECT_EQ(first.at("before"), 0);
  EXPECT_EQ(first.at("reason"), "a job has come");
  EXPECT_TRUE(testing::Becomes([&] { return scaled.Workers().at("scaling").at("wanted") == 0; }));
  EXPECT_TRUE(testing::Becomes([&] { return scaled.stack().Processes(kWorkerProgram).empty(); }));
}

TEST(Scaling, AFixedNumberOfCopiesIsKeptWhateverEndsThem) {
  const ScaledStack scaled("  backend: local\n  workers: {scale: 3}\n");
  EXPECT_TRUE(testing::Becomes([&] { return scaled.Alive().size() == 3; }));
  const std::vector<int> workers = scaled.stack().Processes(kWorkerProgram);
  ASSERT_THAT(workers, SizeIs(3));
  kill(workers[0], SIGKILL);
  EXPECT_TRUE(testing::Becomes([&] {
    const std::vector<int> now = scaled.stack().Processes(kWorkerProgram);
    return now.size() == 3 && std::ranges::find(now, workers[0]) == now.end();
  }));
  // The workers of a dispatcher that is killed end, and its successor starts others.
  for (const int process : scaled.stack().Processes("tidemill-preprocess")) kill(process, SIGKILL);
  EXPECT_TRUE(testing::Becomes([&] { return scaled.Alive().size() == 3; }));
  EXPECT_THAT(scaled.Weights(), SizeIs(2));
}

TEST(Scaling, ATrainerServerStartsForAJobThatWaitsAndContinuesAfterItsEnd) {
  const ScaledStack plain;
  const std::vector<std::string> expected = plain.Weights();
  ASSERT_THAT(expected, SizeIs(2));
  const ScaledStack scaled(
      "  backend: local\n  workers: {scale: 1}\n  trainers: {most: 1, idle: 1s}\n");
  EXPECT_THAT(scaled.stack().Processes(kTrainerProgram), IsEmpty());
  EXPECT_EQ(scaled.Weights(), expected);
  const nlohmann::json pool = scaled.Tidemill({"trainers", "list", "--json"}).Json();
  EXPECT_EQ(pool.at("engines").at(0).at("backend"), "local");
  EXPECT_TRUE(testing::Becomes([&] { return scaled.stack().Processes(kTrainerProgram).empty(); }));
  EXPECT_EQ(scaled.Weights(), expected);
}

TEST(Scaling, AWrongSectionIsRefusedWithItsLine) {
  const ScaledStack right("  backend: local\n  workers: {scale: 1}\n");
  const std::string config = right.stack().state() + "/tidemill.yaml";
  EXPECT_EQ(right.Tidemill({"down"}).exit_code, 0);
  std::ofstream(config) << "engine:\n  backend: local\n  workers: {scale: many}\n";
  const CommandResult up = right.Tidemill({"up"});
  EXPECT_NE(up.exit_code, 0);
  EXPECT_THAT(up.err + right.stack().Logs(), ::testing::HasSubstr("neither `auto` nor a number"));
}

}  // namespace
}  // namespace tidemill::tests
