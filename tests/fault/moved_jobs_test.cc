// Runs whose trainer servers are lost with their disks, at each stage of a job: the models of a run
// that nothing disturbs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/tree.h"
#include "model_store/client/model_store_client.h"
#include "tests/run_comparison.h"
#include "tests/small_pipeline.h"
#include "tests/two_trainers.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;
using ::tidemill::testing::IsOk;

// A pipeline, and failpoints that its jobs pass.
struct Trained {
  std::string name;
  std::string (*write)(const std::string& folder);
  std::vector<std::string> failpoints;

  friend void PrintTo(const Trained& trained, std::ostream* out) { *out << trained.name; }
};

std::string WritePlain(const std::string& folder) { return WriteSmallPipeline(folder); }

std::string WriteNetwork(const std::string& folder) {
  const std::string path = WriteSmallPipeline(folder);
  UseNetwork(path);
  return path;
}

std::string WritePluginOp(const std::string& folder) {
  const std::string path = WriteSmallPipeline(folder);
  UsePluginOp(path);
  return path;
}

const std::vector<Trained>& Pipelines() {
  static const std::vector<Trained> pipelines = {
      {"plain",
       WritePlain,
       {"before_fit", "after_fit", "mid_training", "before_checkpoint_rename", "after_checkpoint",
        "before_artefact", "after_artefact", "before_store", "after_store"}},
      {"downsampling",
       WriteDownsamplingPipeline,
       {"mid_auxiliary", "after_auxiliary", "mid_scoring", "before_choice", "after_choice",
        "after_checkpoint"}},
      // Within its sandbox a network's training cannot say what it has passed.
      {"network", WriteNetwork, {"before_fit", "after_fit", "before_store", "after_store"}},
      {"plugin_op", WritePluginOp, {"after_fit", "after_checkpoint", "after_artefact"}}};
  return pipelines;
}

// Waits until something is so. Returns false when it takes too long.
bool Await(const std::function<bool()>& is_so) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes{2};
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    poll(nullptr, 0, 20);
  }
  return true;
}

// What is kept of the training of the first trigger of the first run.
model_store::v1::GetKeptJobResponse KeptTraining(const TwoTrainers& cluster) {
  model_store::ModelStoreClient store(cluster.PeerOf("model_store"));
  return store.GetKeptJob(RunId{1}, 1, model_store::v1::JOB_KIND_TRAINING).value();
}

constexpr char kContinues[] = "a training continues that another server has begun";

class MovedJobs : public ::testing::TestWithParam<Trained> {
 protected:
  // The lines of a run that nothing disturbs. The first is "succeeded".
  static const std::vector<std::string>& Expected() {
    static std::map<std::string, std::vector<std::string>> runs;
    std::vector<std::string>& lines = runs[GetParam().name];
    if (lines.empty()) {
      TwoTrainers cluster([](const std::string&) { return 0; });
      lines = Fingerprint(Run(cluster, *Begin(cluster)));
    }
    return lines;
  }

  static std::unique_ptr<RunningCommand> Begin(const TwoTrainers& cluster) {
    return cluster.Begin({"run", GetParam().write(cluster.files()), "--json"});
  }

  static nlohmann::json Run(const TwoTrainers& cluster, RunningCommand& command) {
    const CommandResult result = command.Result();
    EXPECT_EQ(result.exit_code, 0) << result.err << cluster.Logs();
    return result.exit_code == 0 ? result.Json() : nlohmann::json::object();
  }

  // Nothing is kept once the run is deleted.
  static void ExpectNothingIsLeft(const TwoTrainers& cluster, const nlohmann::json& run) {
    model_store::ModelStoreClient store(cluster.PeerOf("model_store"));
    auto bytes = store.GetStoredBytes();
    ASSERT_THAT(bytes, IsOk());
    EXPECT_GT(bytes->models(), 0);
    const CommandResult deleted =
        cluster.Tidemill({"runs", "delete", run.at("run").dump(), "--even-in-use"});
    EXPECT_EQ(deleted.exit_code, 0) << deleted.err;
    bytes = store.GetStoredBytes();
    ASSERT_THAT(bytes, IsOk());
    EXPECT_EQ(bytes->models() + bytes->jobs() + bytes->unnamed(), 0) << bytes->DebugString();
  }
};

// Each server waits at a failpoint when it is destroyed, and the other one, which does not know the
// job, continues. So each stage is the last that a host has seen.
TEST_P(MovedJobs, AHostThatIsLostAtAnyStageChangesNoWeight) {
  std::atomic<int> current = 0;
  TwoTrainers cluster([&](const std::string&) { return current.load(); });
  const std::string marks = cluster.files() + "/marks";
  fs::create_directory(marks);
  const auto start = [&](int server, const std::string& failpoint) {
    std::map<std::string, std::string> environment;
    if (!failpoint.empty()) {
      environment["TIDEMILL_FAILPOINTS"] = "trainer_server." + failpoint + "=delay:600s";
      environment["TIDEMILL_FAILPOINTS_ONCE"] = marks;
    }
    cluster.Destroy(server);
    cluster.Start(server, environment);
  };
  const std::vector<std::string>& failpoints = GetParam().failpoints;
  start(0, failpoints.front());
  const auto command = Begin(cluster);
  for (size_t i = 0; i < failpoints.size(); ++i) {
    const std::string mark = marks + "/trainer_server." + failpoints[i];
    ASSERT_TRUE(Await([&] { return fs::exists(mark); }))
        << "nothing passed " << mark << command->SaidSoFar() << cluster.Logs();
    const int lost = current;
    start(1 - lost, i + 1 < failpoints.size() ? failpoints[i + 1] : "");
    current = 1 - lost;
    cluster.Destroy(lost);
  }
  const nlohmann::json run = Run(cluster, *command);
  EXPECT_EQ(Fingerprint(run), Expected());
  ExpectNothingIsLeft(cluster, run);
}

TEST_P(MovedJobs, EachCommandMayComeToAnotherServerWhoseFolderIsLostAfterIt) {
  std::atomic<int> next = 0;
  std::atomic<TwoTrainers*> wiped = nullptr;
  TwoTrainers cluster([&](const std::string&) {
    const int server = next++ % 2;
    // No job runs between two commands but for the one that is watched.
    if (TwoTrainers* const all = wiped; all != nullptr) all->Wipe(1 - server);
    return server;
  });
  wiped = &cluster;
  const auto command = Begin(cluster);
  const nlohmann::json run = Run(cluster, *command);
  wiped = nullptr;
  EXPECT_EQ(Fingerprint(run), Expected());
  EXPECT_GT(next, 8);
  ExpectNothingIsLeft(cluster, run);
}

TEST_P(MovedJobs, ATrainingContinuesAtAnotherHostFromTheCheckpointThatIsKept) {
  std::atomic<int> current = 0;
  TwoTrainers cluster([&](const std::string&) { return current.load(); });
  cluster.Destroy(0);
  cluster.Start(0, {{"TIDEMILL_FAILPOINTS", "trainer_server.after_checkpoint=delay:600s"}});
  const auto command = Begin(cluster);
  ASSERT_TRUE(Await([&] { return KeptTraining(cluster).position() > 0; })) << cluster.Logs();
  current = 1;
  cluster.Destroy(0);
  const nlohmann::json run = Run(cluster, *command);
  EXPECT_EQ(Fingerprint(run), Expected());
  EXPECT_THAT(cluster.Logs(), ::testing::HasSubstr(kContinues));
  ExpectNothingIsLeft(cluster, run);
}

// It is not dead, it only seemed so.
TEST_P(MovedJobs, AHostThatWakesLateChangesNothing) {
  std::atomic<int> current = 0;
  TwoTrainers cluster([&](const std::string&) { return current.load(); });
  cluster.Destroy(0);
  // It waits, so that it does not end too early, and continues once it is awake.
  cluster.Start(0, {{"TIDEMILL_FAILPOINTS", "trainer_server.after_checkpoint=delay:2s"}});
  const auto command = Begin(cluster);
  ASSERT_TRUE(Await([&] { return KeptTraining(cluster).position() > 0; })) << cluster.Logs();
  current = 1;
  cluster.Suspend(0);
  const nlohmann::json run = Run(cluster, *command);
  EXPECT_EQ(Fingerprint(run), Expected());
  const std::string kept = KeptTraining(cluster).DebugString();
  EXPECT_THAT(kept, ::testing::HasSubstr("result.json"));
  cluster.Resume(0);
  EXPECT_TRUE(Await([&] {
    return cluster.Logs().find("was given to another trainer server") != std::string::npos;
  })) << cluster.Logs();
  EXPECT_EQ(KeptTraining(cluster).DebugString(), kept);
  ExpectNothingIsLeft(cluster, run);
}

std::string NameOf(const ::testing::TestParamInfo<Trained>& tested) { return tested.param.name; }
INSTANTIATE_TEST_SUITE_P(Pipelines, MovedJobs, ::testing::ValuesIn(Pipelines()), NameOf);

}  // namespace
}  // namespace tidemill::tests
