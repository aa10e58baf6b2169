// Readers of a whole stack that stand still for two seconds, or for TIDEMILL_STALL_SECONDS: no
// process comes to hold more than its budget for them, and a run continues beside them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <thread>

#include "base/files.h"
#include "base/testing/process_memory.h"
#include "base/testing/status_matchers.h"
#include "rpc/stream_budget.h"
#include "rpc/streams/byte_frames.h"
#include "rpc/streams/frame_reader.h"
#include "selector/client/selector_client.h"
#include "storage/client/storage_client.h"
#include "storage/testing/generated_dataset.h"
#include "supervisor_client/supervisor_client.h"
#include "tests/stack.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::tests {
namespace {

using tidemill::testing::IsOk;
using tidemill::testing::kStallBudget;
using tidemill::testing::MemoryGrowth;
using tidemill::testing::StatusIs;

// A list of them is 128 MiB, a weighted training set 96.
constexpr int64_t kNumSmall = int64_t{8} << 20;
// 144 MiB.
constexpr int kNumLarge = 4608;
constexpr int kNumWatchers = 64;

class StalledReaders : public ::testing::Test {
 protected:
  StalledReaders() {
    Up();
    std::ofstream(stack_.state() + "/data_roots") << stack_.files() << "\n";
  }

  void Up() const {
    const CommandResult up = stack_.Tidemill({"up"});
    ASSERT_EQ(up.exit_code, 0) << up.err << stack_.Logs();
  }

  static rpc::v1::Command NewRequest() {
    rpc::v1::Command command;
    command.set_request_id(rpc::NewRequestId());
    return command;
  }
  static rpc::v1::Command NewCommand() {
    rpc::v1::Command command = NewRequest();
    command.set_run_id(1'000'000);  // No run of the supervisor.
    command.set_run_epoch(1);
    return command;
  }

  void Ingest(const storage::testing::GeneratedDataset& dataset, rpc::v1::Snapshot& snapshot) {
    const storage::StorageClient operators(stack_.PeerOf("storage", rpc::v1::ROLE_OPERATOR));
    const storage::StorageClient storage(stack_.PeerOf("storage"));
    const auto registered = operators.RegisterDataset(dataset.name, dataset.spec, NewRequest());
    ASSERT_THAT(registered, IsOk());
    const auto synced = storage.SyncDataset({registered->dataset_id()}, {});
    ASSERT_THAT(synced, IsOk());
    snapshot = *synced;
  }

  // Many small samples with a training set of all of them, and some large ones.
  void MakeMuchToRead() {
    const std::string folder = stack_.files();
    Ingest(storage::testing::MakeSmallRecords(folder, kNumSmall), small_);
    Ingest(storage::testing::MakeLargeRecords(folder, kNumLarge), large_);
    selector::v1::SealTrainingSetRequest seal;
    *seal.mutable_command() = NewCommand();
    seal.set_trigger(1);
    *seal.mutable_snapshot() = small_;
    seal.mutable_to()->set_event_time(std::numeric_limits<int64_t>::max());
    seal.set_selection("{type: balanced, fraction: 1.0, weights: inverse_probability}");
    selector::SelectorClient selector(stack_.PeerOf("selector"));
    ASSERT_THAT(selector.SealTrainingSet(seal), IsOk());
  }

  // Begins a call, and reads only the first message of its answer.
  void Stall(const std::string& service, const std::string& method,
             const google::protobuf::Message& request) {
    const rpc::Peer peer = stack_.PeerOf(service);
    stalled_.push_back(std::make_unique<rpc::FrameReader>(peer, rpc::Connect(peer), method,
                                                          rpc::ToBytes(request), no_credits_));
    const auto first = stalled_.back()->Next();
    ASSERT_THAT(first, IsOk()) << method;
    ASSERT_TRUE(first->has_value()) << method;
  }
  void StallEveryBulkStream() {
    storage::v1::ListSamplesRequest list;
    *list.mutable_snapshot() = small_;
    list.set_with_labels(true);
    Stall("storage", "/tidemill.storage.v1.StorageService/ListSamples", list);
    storage::v1::ReadSamplesRequest read;
    read.set_dataset_id(large_.dataset_id());
    std::vector<int64_t> keys(kNumLarge);
    std::iota(keys.begin(), keys.end(), large_.committed_key() - kNumLarge + 1);
    read.mutable_sample_keys()->Add(keys.begin(), keys.end());
    Stall("storage", "/tidemill.storage.v1.StorageService/ReadSamples", read);
    selector::v1::ReadTrainingSetRequest set;
    set.set_run_id(NewCommand().run_id());
    set.set_trigger(1);
    Stall("selector", "/tidemill.selector.v1.SelectorService/ReadTrainingSet", set);
  }

  // Waits for a run and begins to watch it, many times, and reads only one message of each watch.
  void StallWatches() {
    const rpc::Peer peer = stack_.PeerOf("supervisor", rpc::v1::ROLE_OPERATOR);
    supervisor::SupervisorClient supervisor(peer);
    supervisor::v1::WatchRunRequest watch;
    while (watch.run_id() == 0) {
      const auto runs = supervisor.ListRuns("");
      ASSERT_THAT(runs, IsOk());
      if (runs->runs_size() > 0) watch.set_run_id(runs->runs(0).run_id());
    }
    while (watches_.size() < kNumWatchers) {
      auto one = std::make_unique<rpc::FrameReader>(
          peer, rpc::Connect(peer), "/tidemill.supervisor.v1.SupervisorService/WatchRun",
          rpc::ToBytes(watch), no_credits_);
      const auto first = one->Next();
      // The run is in the list before a process has it: whoever watches then tries again.
      if (first.status().code() == absl::StatusCode::kUnavailable) continue;
      ASSERT_THAT(first, IsOk());
      watches_.push_back(std::move(one));
    }
  }

  int64_t BeginALiveRun() {
    const std::string path = WriteSmallPipeline(stack_.files());
    std::string text = *files::Read(path);
    text.replace(text.find("name: small"), 11, "name: live\nlive: {idle: 1h}");
    EXPECT_THAT(files::WriteAtomically(path, text), IsOk());
    const CommandResult run = stack_.Tidemill({"run", path, "--detach"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const auto runs =
        supervisor::SupervisorClient(stack_.PeerOf("supervisor", rpc::v1::ROLE_OPERATOR))
            .ListRuns("live");
    EXPECT_THAT(runs, IsOk());
    return runs.ok() && runs->runs_size() == 1 ? runs->runs(0).run_id() : 0;
  }

  // Begins a thousand watches of a run, of none of which more is read than the first message;
  // returns how many were refused.
  int WatchAThousandTimes(int64_t run) {
    const rpc::Peer peer = stack_.PeerOf("supervisor", rpc::v1::ROLE_OPERATOR);
    supervisor::v1::WatchRunRequest watch;
    watch.set_run_id(run);
    std::vector<std::unique_ptr<rpc::FrameReader>> watches;
    const auto channel = rpc::Connect(peer);
    for (int i = 0; i < 1'000; ++i) {
      watches.push_back(std::make_unique<rpc::FrameReader>(
          peer, channel, "/tidemill.supervisor.v1.SupervisorService/WatchRun", rpc::ToBytes(watch),
          no_credits_));
    }
    EXPECT_THAT(supervisor::SupervisorClient(peer).ListRuns(""), IsOk());
    int num_refused = 0;
    for (const auto& one : watches) {
      const auto first = one->Next();
      if (first.ok()) continue;
      ++num_refused;
      EXPECT_THAT(first, StatusIs(absl::StatusCode::kResourceExhausted,
                                  ::testing::HasSubstr("cluster.streams.max_streams_per_caller")));
    }
    return num_refused;
  }

  // The services and this process.
  std::vector<pid_t> Processes() const {
    std::vector<pid_t> processes = {getpid()};
    for (const char* name :
         {"tidemill-storage", "tidemill-selector", "tidemill-supervisor", "tidemill-trainer-server",
          "tidemill-evaluator", "tidemill-model-store"}) {
      const std::vector<int> found = stack_.Processes(name);
      EXPECT_FALSE(found.empty()) << name;
      processes.insert(processes.end(), found.begin(), found.end());
    }
    return processes;
  }

  Stack stack_;
  rpc::v1::Snapshot small_, large_;
  rpc::ByteCredits no_credits_{0};
  std::vector<std::unique_ptr<rpc::FrameReader>> stalled_;
  std::vector<std::unique_ptr<rpc::FrameReader>> watches_;
};

TEST_F(StalledReaders, CostNoProcessMoreThanItsBudgetAndHoldUpNoRun) {
  ASSERT_NO_FATAL_FAILURE(MakeMuchToRead());
  // Returns freed memory, so that growth is seen.
  ASSERT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
  ASSERT_NO_FATAL_FAILURE(Up());
  const MemoryGrowth growth(Processes());
  ASSERT_NO_FATAL_FAILURE(StallEveryBulkStream());
  EXPECT_LE(growth.AwaitSettled(), kStallBudget);

  const std::string scratch = stack_.files() + "/scratch";
  std::filesystem::create_directory(scratch);
  CommandResult run;
  std::thread runner([&] {
    run = RunTidemill(
        {"run", WriteSmallPipeline(stack_.files()), "--json", "--state", stack_.state()}, {},
        scratch);
  });
  StallWatches();
  runner.join();
  EXPECT_EQ(run.exit_code, 0) << run.err << stack_.Logs();
  // And a reader that resumes gets the rest.
  for (const auto& reader : stalled_) {
    auto message = reader->Next();
    while (message.ok() && message->has_value()) message = reader->Next();
    EXPECT_THAT(message, IsOk());
  }
  for (const auto& watch : watches_) {
    auto message = watch->Next();
    while (message.ok() && message->has_value()) message = watch->Next();
    EXPECT_THAT(message, IsOk());
  }
  watches_.clear();
  // While a run continues, a watch ends when its watcher does, however fast the machine is.
  const int64_t live = BeginALiveRun();
  EXPECT_EQ(WatchAThousandTimes(live), 1'000 - rpc::StreamLimits().max_streams_per_caller);
}

// A reader's token is enough to ask for the quarantine.
TEST_F(StalledReaders, OfListsHoldAPageAndAThreadEachAndAreFew) {
  constexpr int kNumEntries = 10'000;
  ASSERT_NO_FATAL_FAILURE(
      Ingest(storage::testing::MakeSmallRecords(stack_.files(), kNumEntries), small_));
  storage::v1::QuarantineSamplesRequest quarantine;
  *quarantine.mutable_command() = NewRequest();
  quarantine.set_dataset_id(small_.dataset_id());
  for (int64_t i = 0; i < kNumEntries; ++i) {
    quarantine.add_sample_keys(small_.committed_key() - i);
    quarantine.add_reasons(std::string(150, 'x'));
  }
  const rpc::Peer services = stack_.PeerOf("storage");
  storage::v1::QuarantineSamplesResponse recorded;
  ASSERT_THAT(
      rpc::Call(services, *storage::v1::StorageService::NewStub(rpc::Connect(services)),
                &storage::v1::StorageService::Stub::QuarantineSamples, quarantine, &recorded),
      IsOk());
  ASSERT_EQ(recorded.num_recorded(), kNumEntries);

  const MemoryGrowth growth(stack_.Processes("tidemill-storage"));
  const rpc::Peer peer = stack_.PeerOf("storage", rpc::v1::ROLE_READER);
  storage::v1::ListQuarantineRequest list;
  list.set_dataset_id(small_.dataset_id());
  const auto channel = rpc::Connect(peer);
  for (int i = 0; i < 1'000; ++i) {
    stalled_.push_back(std::make_unique<rpc::FrameReader>(
        peer, channel, "/tidemill.storage.v1.StorageService/ListQuarantine", rpc::ToBytes(list),
        no_credits_));
  }
  int num_refused = 0;
  rpc::FrameReader* admitted = nullptr;
  for (const auto& reader : stalled_) {
    const auto first = reader->Next();
    if (first.ok()) admitted = reader.get();
    if (first.ok()) continue;
    ++num_refused;
    EXPECT_THAT(first, StatusIs(absl::StatusCode::kResourceExhausted,
                                ::testing::HasSubstr("cluster.streams.max_streams_per_method")));
  }
  EXPECT_EQ(num_refused, 1'000 - rpc::StreamLimits().max_streams_per_method);
  EXPECT_LE(growth.AwaitSettled(), 2 * kStallBudget);
  // Others are served, and a reader that resumes gets the rest.
  EXPECT_THAT(storage::StorageClient(services).SyncDataset({small_.dataset_id()}, {}), IsOk());
  ASSERT_NE(admitted, nullptr);
  auto message = admitted->Next();
  int num_messages = 1;
  for (; message.ok() && message->has_value(); ++num_messages) message = admitted->Next();
  EXPECT_THAT(message, IsOk());
  EXPECT_EQ(num_messages, kNumEntries);
}

}  // namespace
}  // namespace tidemill::tests
