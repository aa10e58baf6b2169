#include "selector/selector.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/failpoints.h"
#include "base/files.h"
#include "base/testing/process_memory.h"
#include "base/testing/status_matchers.h"
#include "db/migrations.h"
#include "db/testing/postgres.h"
#include "rpc/server.h"
#include "rpc/streams/byte_frames.h"
#include "rpc/streams/frame_reader.h"
#include "rpc/testing/token_folder.h"
#include "selector/client/selector_client.h"
#include "selector/migrations.h"
#include "selector/selector_service.h"
#include "selector/testing/choosing.h"

namespace tidemill::selector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kFirstKey;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

// A stream of one sample a microsecond, listed in chunks of any size.
class Stream {
 public:
  Stream(int64_t num_samples, int64_t chunk) : num_samples_(num_samples), chunk_(chunk) {}

  absl::Status operator()(const storage::v1::ListSamplesRequest& request,
                          const std::function<absl::Status(batch::Batch)>& sink) const {
    const int64_t from = request.has_from() ? request.from().event_time() : 0;
    const int64_t to = std::min(request.to().event_time(), num_samples_);
    for (int64_t begin = from; begin < to; begin += chunk_) {
      std::vector<int64_t> times, keys;
      for (int64_t i = begin; i < std::min(begin + chunk_, to); ++i) {
        times.push_back(i);
        keys.push_back(kFirstKey + i);
      }
      batch::Batch batch(static_cast<int64_t>(keys.size()));
      RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
      RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)));
      RETURN_IF_ERROR(sink(std::move(batch)));
    }
    return absl::OkStatus();
  }

 private:
  int64_t num_samples_;
  int64_t chunk_;
};

v1::SealTrainingSetRequest Request(int64_t trigger, int64_t from, int64_t to,
                                   const std::string& selection) {
  v1::SealTrainingSetRequest request;
  request.mutable_command()->set_run_id(7);
  request.mutable_command()->set_run_epoch(1);
  request.set_trigger(trigger);
  request.mutable_snapshot()->set_dataset_id(3);
  if (from > 0) request.mutable_from()->set_event_time(from);
  request.mutable_to()->set_event_time(to);
  request.set_selection(selection);
  request.set_seed(42);
  return request;
}

class SelectorTest : public ::testing::Test {
 protected:
  SelectorTest() {
    EXPECT_THAT(files::CreateFolder(folder_), IsOk());
    auto database = db::Database::Connect(test_database_.connection_string());
    EXPECT_THAT(database, IsOk());
    database_ = *std::move(database);
    EXPECT_THAT(db::Migrate(*database_, "selector", Migrations()), IsOk());
  }
  ~SelectorTest() override { EXPECT_THAT(files::Remove(folder_), IsOk()); }

  Selector Make(int64_t num_samples, int64_t chunk = 1000) {
    return Selector(*database_, folder_, {.list_samples = Stream(num_samples, chunk)});
  }

  std::string PathOf(int64_t trigger) const {
    return folder_ + "/7/" + std::to_string(trigger) + ".batch";
  }

  const std::string folder_ = ::testing::TempDir() + "selector_test_" + std::to_string(getpid());
  db::testing::TestDatabase test_database_;
  std::unique_ptr<db::Database> database_;
};

TEST_F(SelectorTest, SealsTheSamplesOfTheInterval) {
  Selector selector = Make(100);
  const auto set = selector.Seal(Request(2, 10, 14, "new_data"));
  ASSERT_THAT(set, IsOk());
  EXPECT_EQ(set->num_samples(), 4);
  EXPECT_EQ(set->num_candidates(), 4);
  EXPECT_EQ(set->dataset_id(), 3);
  EXPECT_FALSE(set->weighted());
  const auto entries = selector.Read({7}, 2);
  ASSERT_THAT(entries, IsOk());
  EXPECT_THAT(entries->keys(),
              ElementsAre(kFirstKey + 10, kFirstKey + 11, kFirstKey + 12, kFirstKey + 13));
}

TEST_F(SelectorTest, DrawsFromAllSoFarWhenThePolicySaysSo) {
  Selector selector = Make(1000);
  const auto set = selector.Seal(Request(2, 500, 600, "{type: uniform, samples: 50, over: all}"));
  ASSERT_THAT(set, IsOk());
  EXPECT_EQ(set->num_candidates(), 600);
  EXPECT_EQ(set->num_samples(), 50);
}

TEST_F(SelectorTest, TakesNothingFromBeforeTheBeginningOfTheRun) {
  Selector selector = Make(1000);
  auto request = Request(1, 0, 600, "{type: uniform, fraction: 1.0, over: all}");
  request.mutable_begin()->set_event_time(590);
  ASSERT_THAT(selector.Seal(request), IsOk());
  EXPECT_EQ(selector.Read({7}, 1)->keys()[0], kFirstKey + 590);
  request = Request(2, 400, 595, "new_data");
  request.mutable_begin()->set_event_time(590);
  EXPECT_EQ(selector.Seal(request)->num_samples(), 5);
  request = Request(3, 595, 600, "new_data");
  request.mutable_begin()->set_event_time(590);
  EXPECT_EQ(selector.Seal(request)->num_samples(), 5);
}

TEST_F(SelectorTest, ChoosesTheSameWhateverTheChunksOfTheStream) {
  const std::string policy = "{type: balanced, fraction: 0.3, weights: inverse_probability}";
  std::vector<std::string> digests;
  for (const int64_t chunk : {1, 7, 1000}) {
    const auto set = Make(2000, chunk).Seal(Request(chunk, 0, 2000, policy));
    ASSERT_THAT(set, IsOk());
    EXPECT_TRUE(set->weighted());
    EXPECT_EQ(set->num_samples(), 600);
    // The draw depends on the trigger; the same trigger of another run is the same draw.
    auto request = Request(1, 0, 2000, policy);
    request.mutable_command()->set_run_id(100 + chunk);
    const auto first = Make(2000, chunk).Seal(request);
    ASSERT_THAT(first, IsOk());
    digests.push_back(first->digest());
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_EQ(digests[0], digests[2]);
}

TEST_F(SelectorTest, AReaderThatStandsStillCostsNoMoreThanItsBudget) {
  constexpr int64_t kNumSamples = int64_t{20} << 20;  // 160 MiB.
  Selector selector = Make(kNumSamples, 1 << 20);
  ASSERT_THAT(selector.Seal(Request(1, 0, kNumSamples, "new_data")), IsOk());
  SelectorService service(selector, {});
  const rpc::testing::TokenFolder tokens;
  const auto server = rpc::Server::Start({.listen = "unix:" + tokens.path() + "/socket"},
                                         tokens.tokens(), {&service});
  ASSERT_THAT(server, IsOk());
  const rpc::Peer peer{.endpoint = (*server)->endpoint(),
                       .token = tokens.TokenOf(rpc::v1::ROLE_SERVICE)};
  v1::ReadTrainingSetRequest request;
  request.set_run_id(7);
  request.set_trigger(1);
  // Both ends of the stream are this process.
  const tidemill::testing::MemoryGrowth growth({getpid()});
  rpc::ByteCredits credits(int64_t{16} << 20);
  rpc::FrameReader reader(peer, rpc::Connect(peer),
                          "/tidemill.selector.v1.SelectorService/ReadTrainingSet",
                          rpc::ToBytes(request), credits);
  auto message = reader.Next();
  ASSERT_THAT(message, IsOk());
  EXPECT_LE(growth.AwaitSettled(), tidemill::testing::kStallBudget);
  int64_t num_bytes = 0;
  for (; message.ok() && message->has_value(); message = reader.Next()) {
    num_bytes += static_cast<int64_t>((*message)->Length());
  }
  EXPECT_THAT(message, IsOk());
  EXPECT_GT(num_bytes, kNumSamples * 8);
}

TEST_F(SelectorTest, SealingTwiceReturnsTheFirstSet) {
  const auto first = Make(100).Seal(Request(1, 0, 50, "new_data"));
  const auto second = Make(100).Seal(Request(1, 0, 100, "new_data"));
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->num_samples(), 50);
  EXPECT_EQ(second->digest(), first->digest());
}

TEST_F(SelectorTest, RefusesTheCommandsOfASupervisorThatWasReplaced) {
  Selector selector = Make(100);
  auto request = Request(1, 0, 50, "new_data");
  request.mutable_command()->set_run_epoch(2);
  ASSERT_THAT(selector.Seal(request), IsOk());
  EXPECT_THAT(selector.Seal(Request(2, 50, 60, "new_data")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("")));
  EXPECT_THAT(selector.Get({7}, 2), StatusIs(absl::StatusCode::kNotFound, HasSubstr("run 7")));
}

TEST_F(SelectorTest, RefusesAPolicyThatDoesNotRead) {
  EXPECT_THAT(Make(10).Seal(Request(1, 0, 5, "unifrom")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("uniform")));
  EXPECT_THAT(Make(10).Seal(Request(1, 0, 5, "{type: uniform}")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("exactly one")));
}

TEST_F(SelectorTest, FindsAFlippedBitAndAMissingFile) {
  Selector selector = Make(100);
  ASSERT_THAT(selector.Seal(Request(1, 0, 50, "new_data")), IsOk());
  std::string bytes = *files::Read(PathOf(1));
  bytes[bytes.size() / 2] ^= 1;
  ASSERT_THAT(files::WriteAtomically(PathOf(1), bytes), IsOk());
  EXPECT_THAT(selector.Read({7}, 1), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("SHA-256")));
  ASSERT_THAT(files::Remove(PathOf(1)), IsOk());
  EXPECT_THAT(selector.Read({7}, 1), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("gone")));
}

TEST_F(SelectorTest, ForgetsARunAndIsNotAskedTwice) {
  Selector selector = Make(100);
  ASSERT_THAT(selector.Seal(Request(1, 0, 50, "new_data")), IsOk());
  ASSERT_THAT(selector.Seal(Request(2, 50, 60, "new_data")), IsOk());
  const auto command = Request(1, 0, 1, "").command();
  EXPECT_THAT(selector.DeleteRun(command), IsOkAndHolds(2));
  EXPECT_THAT(selector.DeleteRun(command), IsOkAndHolds(0));
  EXPECT_FALSE(files::Exists(PathOf(1)));
  EXPECT_THAT(selector.Read({7}, 1), StatusIs(absl::StatusCode::kNotFound, HasSubstr("")));
}

// A stream of a live run: samples with the given keys and times, all known at `committed_key` 100.
SampleLister Arrived(std::vector<std::pair<int64_t, int64_t>> time_and_key) {
  std::sort(time_and_key.begin(), time_and_key.end());
  return [=](const storage::v1::ListSamplesRequest& request,
             const std::function<absl::Status(batch::Batch)>& sink) -> absl::Status {
    std::vector<int64_t> keys, times;
    for (const auto& [time, key] : time_and_key) {
      const std::pair place(time, key);
      const auto at = [](const rpc::v1::Cut& cut) {
        return std::pair(cut.event_time(), cut.sample_key());
      };
      if (key > request.snapshot().committed_key() || key <= request.after_key()) continue;
      if (request.has_from() && place < at(request.from())) continue;
      if (request.has_to() && place >= at(request.to())) continue;
      bool late = false;
      for (const auto& horizon : request.snapshot().horizons()) {
        late |= place < at(horizon.before()) && key > horizon.committed_key();
      }
      if (late) continue;
      keys.push_back(key);
      times.push_back(time);
    }
    batch::Batch batch(static_cast<int64_t>(keys.size()));
    RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
    RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)));
    return sink(std::move(batch));
  };
}

// Trigger 2 of a live run: new data in [50, 80), 12 keys known when trigger 1 fired at 50.
v1::SealTrainingSetRequest LiveRequest(const std::string& selection) {
  v1::SealTrainingSetRequest request = Request(2, 50, 80, selection);
  request.mutable_snapshot()->set_committed_key(18);
  rpc::v1::Horizon& first = *request.mutable_snapshot()->add_horizons();
  first.mutable_before()->set_event_time(50);
  first.set_committed_key(12);
  request.set_late_after_key(12);
  return request;
}

// Times and keys; 13, 15 and 17 came late for trigger 1, 19 is not known yet.
const std::vector<std::pair<int64_t, int64_t>> kArrived = {{10, 10}, {20, 11}, {55, 12}, {30, 13},
                                                           {60, 14}, {5, 15},  {79, 16}, {49, 17},
                                                           {80, 18}, {51, 19}};

TEST_F(SelectorTest, TrainsOnLateSamplesWhereTheyAreAccepted) {
  Selector selector(*database_, folder_, {.list_samples = Arrived(kArrived)});
  auto request = LiveRequest("new_data");
  request.set_accept_late(true);
  const auto set = selector.Seal(request);
  ASSERT_THAT(set, IsOk());
  EXPECT_EQ(set->num_late(), 3);
  EXPECT_THAT(selector.Read({7}, 2)->keys(), ElementsAre(15, 13, 17, 12, 14, 16));
  EXPECT_THAT(selector.ReadLate({7}, 2)->keys(), ElementsAre(15, 13, 17));
}

TEST_F(SelectorTest, OnlyRecordsLateSamplesOtherwise) {
  Selector selector(*database_, folder_, {.list_samples = Arrived(kArrived)});
  const auto set = selector.Seal(LiveRequest("new_data"));
  ASSERT_THAT(set, IsOk());
  EXPECT_EQ(set->num_late(), 3);
  EXPECT_EQ(set->num_candidates(), 3);
  EXPECT_THAT(selector.Read({7}, 2)->keys(), ElementsAre(12, 14, 16));
  EXPECT_THAT(selector.ReadLate({7}, 2)->keys(), ElementsAre(15, 13, 17));
}

TEST_F(SelectorTest, KnowsOfHistoryWhatItsHorizonsKnow) {
  Selector selector(*database_, folder_, {.list_samples = Arrived(kArrived)});
  const std::string all = "{type: uniform, fraction: 1.0, over: all}";
  ASSERT_THAT(selector.Seal(LiveRequest(all)), IsOk());
  EXPECT_THAT(selector.Read({7}, 2)->keys(), ElementsAre(10, 11, 12, 14, 16));
  auto request = LiveRequest(all);
  request.mutable_command()->set_run_id(8);
  request.mutable_snapshot()->clear_horizons();
  request.set_accept_late(true);
  ASSERT_THAT(selector.Seal(request), IsOk());
  EXPECT_THAT(selector.Read({8}, 2)->keys(), ElementsAre(15, 10, 11, 13, 17, 12, 14, 16));
}

TEST_F(SelectorTest, RemovesWhatIsNoLongerKeptAndSaysSo) {
  Selector selector(*database_, folder_, {.list_samples = Arrived(kArrived)});
  auto first = Request(1, 0, 50, "new_data");
  first.mutable_snapshot()->set_committed_key(12);
  ASSERT_THAT(selector.Seal(first), IsOk());
  ASSERT_THAT(selector.Seal(LiveRequest("new_data")), IsOk());
  EXPECT_THAT(selector.Retire(first.command(), 2), IsOkAndHolds(1));
  EXPECT_THAT(selector.Retire(first.command(), 2), IsOkAndHolds(0));
  EXPECT_FALSE(files::Exists(PathOf(1)));
  EXPECT_THAT(selector.Read({7}, 1),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("removed by the run's retention")));
  EXPECT_TRUE(selector.Get({7}, 1)->removed());
  EXPECT_THAT(selector.Read({7}, 2)->keys(), SizeIs(3));
  ASSERT_THAT(selector.Retire(first.command(), 3), IsOkAndHolds(1));
  EXPECT_THAT(selector.ReadLate({7}, 2)->keys(), SizeIs(3));
}

// Seals in a separate process that is killed at `failpoint`.
void SealAndDie(const std::string& connection_string, const std::string& folder,
                const std::string& failpoint) {
  const pid_t child = fork();
  if (child == 0) {
    failpoints::Arm(failpoint + "=kill").IgnoreError();
    auto database = db::Database::Connect(connection_string);
    const auto set = Selector(**database, folder, {.list_samples = Stream(1000, 100)})
                         .Seal(Request(1, 0, 500, "new_data"));
    _exit(set.ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << failpoint << " was not passed";
}

TEST_F(SelectorTest, FindsTheSetsThatHoldSamplesAndSaysWhichOnesItCannotKnow) {
  Selector selector = Make(100);
  ASSERT_THAT(selector.Seal(Request(1, 0, 10, "new_data")), IsOk());
  ASSERT_THAT(selector.Seal(Request(2, 10, 20, "new_data")), IsOk());
  ASSERT_THAT(selector.Seal(Request(3, 20, 30, "new_data")), IsOk());
  struct Found {
    int64_t trigger;
    int64_t num_found;
    bool is_removed;
    bool operator==(const Found&) const = default;
  };
  const auto find = [&](const std::vector<int64_t>& keys) {
    std::vector<Found> found;
    int64_t num_sets = 0;
    EXPECT_THAT(selector.FindTrainingSets({3}, keys,
                                          [&](const v1::FindTrainingSetsResponse& response) {
                                            EXPECT_EQ(response.num_sets(), 3);
                                            EXPECT_EQ(response.num_sets_done(), ++num_sets);
                                            if (!response.has_match()) return absl::OkStatus();
                                            EXPECT_EQ(response.match().run_id(), 7);
                                            found.push_back({response.match().trigger(),
                                                             response.match().num_found(),
                                                             response.match().is_removed()});
                                            return absl::OkStatus();
                                          }),
                IsOk());
    EXPECT_EQ(num_sets, 3);
    return found;
  };
  EXPECT_THAT(find({kFirstKey + 3, kFirstKey + 15, kFirstKey + 15, kFirstKey + 16}),
              ElementsAre(Found{1, 1, false}, Found{2, 2, false}));
  EXPECT_THAT(find({kFirstKey + 99}), SizeIs(0));
  rpc::v1::Command retire;
  retire.set_run_id(7);
  retire.set_run_epoch(1);
  ASSERT_THAT(selector.Retire(retire, 3), IsOkAndHolds(2));
  EXPECT_THAT(find({kFirstKey + 3, kFirstKey + 25}),
              ElementsAre(Found{1, 2, true}, Found{2, 2, true}, Found{3, 1, false}));
  EXPECT_THAT(find({kFirstKey + 99}), SizeIs(0));
  // Another dataset has no such sets.
  EXPECT_THAT(selector.FindTrainingSets(
                  {4}, std::vector<int64_t>{kFirstKey},
                  [](const v1::FindTrainingSetsResponse&) { return absl::UnknownError("a set"); }),
              IsOk());
}

TEST_F(SelectorTest, SealsTheSameSetAfterBeingKilledAnywhere) {
  const auto undisturbed = [&] {
    auto request = Request(1, 0, 500, "new_data");
    request.mutable_command()->set_run_id(8);
    return Make(1000).Seal(request);
  }();
  ASSERT_THAT(undisturbed, IsOk());
  for (const char* failpoint : {"selector.before_seal", "selector.after_seal",
                                "selector.before_commit", "selector.after_commit"}) {
    SealAndDie(test_database_.connection_string(), folder_, failpoint);
    Selector selector = Make(1000);
    const bool committed = std::string(failpoint) == "selector.after_commit";
    EXPECT_EQ(selector.Get({7}, 1).ok(), committed) << failpoint;
    const auto set = selector.Seal(Request(1, 0, 500, "new_data"));
    ASSERT_THAT(set, IsOk()) << failpoint;
    EXPECT_EQ(set->digest(), undisturbed->digest()) << failpoint;
    ASSERT_THAT(selector.Read({7}, 1), IsOk()) << failpoint;
    EXPECT_THAT(selector.DeleteRun(Request(1, 0, 1, "").command()), IsOkAndHolds(1));
  }
}

// The whole way: client, token, server, service, selector.
TEST_F(SelectorTest, ServesAHundredThousandKeysEachWithItsWeight) {
  Selector selector = Make(200'000, 4096);
  SelectorService service(selector, {});
  const std::string token_file = folder_ + "/tokens";
  ASSERT_THAT(rpc::Tokens::Create(token_file), IsOk());
  const auto tokens = rpc::Tokens::Read(token_file);
  ASSERT_THAT(tokens, IsOk());
  const auto server =
      rpc::Server::Start({.listen = "unix:" + folder_ + "/socket"}, *tokens, {&service});
  ASSERT_THAT(server, IsOk());
  SelectorClient client(
      {.endpoint = (*server)->endpoint(), .token = *tokens->TokenOf(rpc::v1::ROLE_SERVICE)});

  const auto set = client.SealTrainingSet(
      Request(1, 0, 200'000, "{type: balanced, samples: 100_000, weights: inverse_probability}"));
  ASSERT_THAT(set, IsOk());
  const auto entries = client.ReadTrainingSet({7}, 1);
  ASSERT_THAT(entries, IsOk());
  ASSERT_EQ(entries->num_rows(), 100'000);
  const auto keys = entries->keys();
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
  for (const float weight : entries->Find(batch::kWeightColumn)->Values<float>()) {
    ASSERT_EQ(weight, 1.0F);  // All are of one class.
  }
  const auto slice = client.ReadTrainingSet({7}, 1, 99'998, 0);
  ASSERT_THAT(slice, IsOk());
  EXPECT_THAT(slice->keys(), ElementsAre(keys[99'998], keys[99'999]));
  EXPECT_THAT(client.GetTrainingSet({7}, 2), StatusIs(absl::StatusCode::kNotFound, HasSubstr("")));
}

}  // namespace
}  // namespace tidemill::selector
