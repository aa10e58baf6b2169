// Runs on three hosts with a slow network between them, and hosts that are away: the models of one
// host, whatever the network does.
#include "tests/hosts/hosts.h"

#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gtest/gtest.h"

#include "preprocess/client/dispatcher_client.h"
#include "tests/run_comparison.h"
#include "tests/small_pipeline.h"

namespace tidemill::tests {
namespace {

using std::chrono::milliseconds;

// A look takes some tens of milliseconds, during which a training advances.
constexpr unsigned kMostLooks = 8;

// Each batch waits, so that there is something to disturb.
const std::map<std::string, std::string> kSlowly = {
    {"TIDEMILL_FAILPOINTS", "trainer_server.mid_training=delay:25ms"}};

std::string WriteByWorkers(const std::string& folder) {
  const std::string path = WriteSmallPipeline(folder);
  UseWorkers(path);
  return path;
}

// With a network of TorchScript, a plug-in, and workers.
std::string WriteWithFiles(const std::string& folder) {
  const std::string path = WriteByWorkers(folder);
  UseNetwork(path);
  UsePluginOp(path);
  return path;
}

using WritePipeline = std::function<std::string(const std::string& folder)>;

// The lines of a run of this pipeline on one host. The first is "succeeded".
std::vector<std::string> OnOneHost(const WritePipeline& write) {
  const Stack stack;
  const CommandResult result = stack.Tidemill({"run", write(stack.files()), "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  return Fingerprint(result.Json());
}

class HostsTest : public ::testing::Test {
 protected:
  // Makes the hosts. Returns false on a machine that cannot have namespaces, and says so.
  bool Start(const Hosts::Options& options) {
    auto network = Network::Make(3, Link{});
    if (!network.ok() || !Hosts::ArePossible()) {
      fmt::print(stderr, "not tested here, as namespaces cannot be made: {}\n",
                 network.status().ToString());
      return false;
    }
    hosts_ = std::make_unique<Hosts>(*std::move(network), options);
    EXPECT_TRUE(hosts_->is_complete()) << hosts_->Logs();
    return hosts_->is_complete();
  }

  // Returns the host where a training begins to run.
  int AwaitTraining() const {
    for (int look = 0; look < 600; ++look) {
      if (const int host = hosts_->TrainingHost(); host >= 0) return host;
    }
    ADD_FAILURE() << "nothing trains\n" << hosts_->Logs();
    return kEast;
  }

  bool IsOneLost() const {
    return hosts_->Pool().dump().find(R"("state":"lost")") != std::string::npos;
  }
  // Returns when a trainer server is lost, or no longer.
  void AwaitLoss(bool is_lost) const {
    while (IsOneLost() != is_lost) {
    }
  }
  void LookSomeTimes(unsigned looks) const {
    for (unsigned look = 0; look < looks; ++look) hosts_->Pool();
  }

  void ExpectModelsOf(const std::vector<std::string>& expected, RunningCommand& run,
                      const std::string& what) const {
    const CommandResult result = run.Result();
    ASSERT_EQ(result.exit_code, 0) << what << result.err << hosts_->Logs();
    EXPECT_EQ(Fingerprint(result.Json()), expected) << what;
    const nlohmann::json pool = hosts_->Pool();
    EXPECT_TRUE(pool.at("running").empty()) << what << pool.dump();
    EXPECT_TRUE(pool.at("waiting").empty()) << what << pool.dump();
  }

  std::unique_ptr<Hosts> hosts_;
};

TEST_F(HostsTest, ARunHasTheModelsOfOneHostAlthoughAHostIsAwayForAMinute) {
  const std::vector<std::string> expected = OnOneHost(WriteWithFiles);
  ASSERT_EQ(expected.front(), "succeeded");
  if (!Start({})) return;
  const std::string pipeline = WriteWithFiles(hosts_->files());
  ExpectModelsOf(expected, *hosts_->Begin({"run", pipeline, "--json"}), "all are there: ");
  const auto run = hosts_->Begin({"run", pipeline, "--json"});
  const int host = AwaitTraining();
  hosts_->network().CutOff(host, {}, std::chrono::minutes{1});
  ExpectModelsOf(expected, *run, "one was away: ");
  // Both workers have made batches, and they came over the network.
  preprocess::DispatcherClient dispatcher(hosts_->PeerOf("preprocess"));
  const auto known = dispatcher.ListWorkers();
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_EQ(known->workers_size(), 2);
  for (const auto& worker : known->workers()) {
    EXPECT_GT(worker.num_batches(), 0) << worker.name();
  }
  for (const int trains : {kEast, kWest}) EXPECT_GT(hosts_->network().BytesTo(trains), 100'000);
}

TEST_F(HostsTest, ATrainerThatIsCutOffAtARandomMomentCostsTimeOnly) {
  const std::vector<std::string> expected = OnOneHost(WriteByWorkers);
  ASSERT_EQ(expected.front(), "succeeded");
  if (!Start({.member_timeout = milliseconds{2'000}, .trainers = kSlowly})) return;
  const std::string pipeline = WriteByWorkers(hosts_->files());
  std::mt19937 random(9);
  for (int round = 0; round < 5; ++round) {
    const auto run = hosts_->Begin({"run", pipeline, "--json"});
    const int host = AwaitTraining();
    LookSomeTimes(random() % kMostLooks);
    hosts_->network().SetAway(host, true);
    AwaitLoss(true);
    hosts_->network().SetAway(host, false);
    ExpectModelsOf(expected, *run, fmt::format("round {}: ", round));
    AwaitLoss(false);
  }
}

TEST_F(HostsTest, FilesOfARunThatIsDeletedWhileItsHostIsAwayAreRemovedWhenItIsBack) {
  if (!Start({.member_timeout = milliseconds{2'000}})) return;
  const CommandResult run = hosts_->Tidemill({"run", WriteByWorkers(hosts_->files()), "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err << hosts_->Logs();
  const int host = hosts_->HasFilesOf(kEast, 1) ? kEast : kWest;
  EXPECT_TRUE(hosts_->HasFilesOf(host, 1));
  hosts_->network().SetAway(host, true);
  AwaitLoss(true);
  const CommandResult deleted = hosts_->Tidemill({"runs", "delete", "1", "--even-in-use"});
  EXPECT_EQ(deleted.exit_code, 0) << deleted.err;
  EXPECT_TRUE(hosts_->HasFilesOf(host, 1));
  hosts_->network().SetAway(host, false);
  AwaitLoss(false);
  for (int look = 0; look < 100 && hosts_->HasFilesOf(host, 1); ++look) LookSomeTimes(1);
  EXPECT_FALSE(hosts_->HasFilesOf(host, 1)) << hosts_->Logs();
}

// They have one configuration, find their addresses, and make their names.
TEST_F(HostsTest, TenCopiesOfAWorkerServeEachItsShare) {
  constexpr int kCopiesOfHost = 5;
  const auto write = [](const std::string& folder) {
    const std::string path = WriteSmallPipeline(folder, "{type: amount, samples: 1000}");
    UseWorkers(path, "{most: 10}");
    ReplaceIn(path, "epochs: 4", "cache: off\n  epochs: 200");
    return path;
  };
  const std::vector<std::string> expected = OnOneHost(write);
  ASSERT_EQ(expected.front(), "succeeded");
  if (!Start({.copies = kCopiesOfHost})) return;
  const std::string pipeline = write(hosts_->files());
  // It changes no sample. With it, processors are not what a copy's share depends on.
  ReplaceIn(pipeline, "- parse_csv:", "- delay: {milliseconds: 1, per: sample}\n    - parse_csv:");
  ExpectModelsOf(expected, *hosts_->Begin({"run", pipeline, "--json"}), "copies: ");
  preprocess::DispatcherClient dispatcher(hosts_->PeerOf("preprocess"));
  const auto known = dispatcher.ListWorkers();
  ASSERT_TRUE(known.ok()) << known.status();
  ASSERT_EQ(known->workers_size(), 2 * kCopiesOfHost);
  std::set<std::string> names;
  double total = 0;
  for (const auto& worker : known->workers()) {
    names.insert(worker.name());
    total += static_cast<double>(worker.num_batches());
    EXPECT_EQ(worker.state(), preprocess::v1::WORKER_STATE_ALIVE) << worker.name();
  }
  EXPECT_TRUE(names.contains("east") && names.contains("west-5")) << known->DebugString();
  const double share = total / (2 * kCopiesOfHost);
  for (const auto& worker : known->workers()) {
    EXPECT_NEAR(static_cast<double>(worker.num_batches()), share, 0.2 * share) << worker.name();
  }
}

// Shorter than the timeouts: calls and streams wait, and nothing begins again.
TEST_F(HostsTest, AHostThatIsAwayForAMomentIsNotLost) {
  const std::vector<std::string> expected = OnOneHost(WriteByWorkers);
  ASSERT_EQ(expected.front(), "succeeded");
  if (!Start({.trainers = kSlowly})) return;
  const auto run = hosts_->Begin({"run", WriteByWorkers(hosts_->files()), "--json"});
  std::mt19937 random(10);
  for (int round = 0; round < 5; ++round) {
    const int host = AwaitTraining();
    hosts_->network().CutOff(host, milliseconds{random() % 500},
                             milliseconds{500 + random() % 1'500});
    EXPECT_FALSE(IsOneLost());
  }
  ExpectModelsOf(expected, *run, "");
}

}  // namespace
}  // namespace tidemill::tests
