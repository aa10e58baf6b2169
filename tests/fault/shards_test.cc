// Sets that are divided: into shards, each made by one worker, and into the sources of a mix. With
// real processes, some of which are killed.
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "loader/batches/batch_stream.h"
#include "loader/sample_facts.h"
#include "storage/client/storage_client.h"
#include "tests/prepared_set.h"
#include "tests/run_comparison.h"

namespace tidemill::tests {
namespace {

using preprocess::JobSpec;
using preprocess::ShardBy;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

constexpr int64_t kNumSamples = 20'000;
constexpr int kNumWorkers = 3;
constexpr int kNumFiles = 5;
constexpr char kWorkerProgram[] = "tidemill-preprocess-worker";
// Workers take their time, so that there is something to kill, and splits are small.
constexpr char kSlow[] = "preprocess_worker.after_making=delay:4ms";
constexpr int64_t kBytesAhead = int64_t{256} << 10;

class Shards : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    set_ = new PreparedSet(kNumSamples, kNumWorkers, {{"TIDEMILL_FAILPOINTS", kSlow}},
                           {.num_files = kNumFiles});
    const auto num_workers = [] {
      const auto known = set_->Dispatcher().ListWorkers();
      EXPECT_THAT(known, IsOk());
      return std::ranges::count_if(known->workers(), [](const auto& worker) {
        return worker.state() == preprocess::v1::WORKER_STATE_ALIVE;
      });
    };
    while (num_workers() < kNumWorkers) {
    }
  }
  static void TearDownTestSuite() {
    delete set_;
    set_ = nullptr;
  }

  static JobSpec JobOf(ShardBy by, int64_t count, int64_t epochs) {
    JobSpec job = set_->Job(32, epochs);
    job.shards = {.by = by, .count = count};
    job.num_lanes = count;
    return job;
  }

  // The batches of all shards, made in this process.
  static std::vector<loader::TrainingBatch> Expected(const JobSpec& job) {
    const auto opened = set_->Open(job);
    EXPECT_THAT(opened, IsOk());
    auto lanes =
        preprocess::LanesOf(opened->division, opened->parts, PreparedSet::PlanOf(job, 0, 0));
    EXPECT_THAT(lanes, IsOk());
    std::vector<std::unique_ptr<loader::BatchSource>> streams;
    for (const loader::BatchPlan& plan : lanes->plans) {
      streams.push_back(loader::BatchStream::Create(opened->parts, plan, {}).value());
    }
    loader::InterleavedSource source(std::move(streams), lanes->interleave, lanes->num_samples, 0);
    std::vector<loader::TrainingBatch> batches;
    while (auto next = source.Next().value()) batches.push_back(*std::move(next));
    return batches;
  }

  static std::vector<std::string> DescribeAll(const std::vector<loader::TrainingBatch>& batches) {
    std::vector<std::string> described;
    for (const loader::TrainingBatch& batch : batches) described.push_back(Describe(batch));
    return described;
  }

  // None of an empty slice.
  static std::vector<int64_t> OrdinalsOf(const loader::TrainingBatch& batch) {
    if (batch.rows.num_rows() == 0) return {};
    const auto ordinals = batch.rows.Find("ordinal")->Values<int64_t>();
    return {ordinals.begin(), ordinals.end()};
  }

  static PreparedSet* set_;
};

PreparedSet* Shards::set_ = nullptr;

TEST_F(Shards, EachIsMadeByAWorkerOfItsOwnAndTogetherTheyAreTheSet) {
  for (const ShardBy by : {ShardBy::kFile, ShardBy::kKey}) {
    const JobSpec job = JobOf(by, kNumWorkers, 2);
    const std::vector<loader::TrainingBatch> expected = Expected(job);
    std::map<int64_t, std::vector<int64_t>> by_epoch;
    for (const loader::TrainingBatch& batch : expected) {
      for (const int64_t ordinal : OrdinalsOf(batch)) by_epoch[batch.epoch].push_back(ordinal);
    }
    std::vector<int64_t> all(static_cast<size_t>(set_->Open(job)->parts.set->size()));
    std::iota(all.begin(), all.end(), 0);
    ASSERT_THAT(by_epoch, SizeIs(2));
    for (auto& [epoch, ordinals] : by_epoch) {
      std::ranges::sort(ordinals);
      EXPECT_EQ(ordinals, all) << "each sample once";
    }
    const auto source = set_->ConsumeShards(job);
    EXPECT_EQ(source->num_batches() * 2, std::ssize(expected));
    EXPECT_EQ(ReadAll(*source), DescribeAll(expected));
    std::set<std::string> workers;
    for (const auto& shard : source->counters()) {
      EXPECT_EQ(shard.num_made_here, 0);
      EXPECT_THAT(shard.links, SizeIs(1)) << "no more connections than it takes";
      for (const auto& [name, link] : shard.links) {
        EXPECT_EQ(link.num_batches, shard.num_batches);
        workers.insert(name);
      }
    }
    EXPECT_THAT(workers, SizeIs(kNumWorkers));
    EXPECT_GT(source->work().rows, 0);
  }
}

TEST_F(Shards, ByFileHaveNoFileInCommon) {
  const auto opened = set_->Open(JobOf(ShardBy::kFile, 3, 1));
  ASSERT_THAT(opened, IsOk());
  const storage::StorageClient storage(set_->stack().PeerOf("storage"));
  const auto facts =
      loader::ReadSampleFacts(storage, DatasetId{opened->spec.dataset_id}, *opened->parts.set);
  ASSERT_THAT(facts, IsOk());
  EXPECT_THAT(facts->paths, ::testing::ElementsAre("numbers1.csv", "numbers2.csv", "numbers3.csv",
                                                   "numbers4.csv", "numbers5.csv"));
  std::set<int32_t> seen;
  for (const auto& shard : opened->division.shards) {
    std::set<int32_t> files;
    for (const int64_t ordinal : shard->ordinals) files.insert(facts->files[ordinal]);
    for (const int32_t file : files) EXPECT_TRUE(seen.insert(file).second) << file;
    // Files of 1, 2, 3, 4 and 5 fifteenths.
    EXPECT_NEAR(static_cast<double>(shard->size()), kNumSamples * 0.9 / 3, 400);
  }
  EXPECT_THAT(seen, SizeIs(kNumFiles));
}

TEST_F(Shards, MoreThanWorkersAreSharedOut) {
  const JobSpec job = JobOf(ShardBy::kFile, kNumFiles, 1);
  const std::vector<std::string> expected = DescribeAll(Expected(job));
  const auto source = set_->ConsumeShards(job, 0, {.most_workers = 2});
  EXPECT_EQ(ReadAll(*source), expected);
  std::map<std::string, int> shards;
  for (const auto& shard : source->counters()) {
    for (const auto& [name, link] : shard.links) ++shards[name];
  }
  EXPECT_THAT(shards, SizeIs(2)) << "as many as it may take";
  for (const auto& [name, count] : shards) EXPECT_GE(count, 2) << name;
}

TEST_F(Shards, ContinueWhereATrainingWasInterrupted) {
  const JobSpec job = JobOf(ShardBy::kFile, kNumWorkers, 2);
  const std::vector<std::string> expected = DescribeAll(Expected(job));
  for (const size_t first : {size_t{1}, expected.size() / 3, expected.size() - 1}) {
    const auto source = set_->ConsumeShards(job, static_cast<int64_t>(first));
    const std::vector<std::string> rest(expected.begin() + static_cast<std::ptrdiff_t>(first),
                                        expected.end());
    EXPECT_EQ(ReadAll(*source), rest) << first;
  }
}

TEST_F(Shards, MoreThanFilesAreRefusedBeforeAnyData) {
  EXPECT_THAT(set_->Open(JobOf(ShardBy::kFile, kNumFiles + 1, 1)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("5 files, but shards.count is 6: write at most 5, or by: key")));
  EXPECT_THAT(set_->Open(JobOf(ShardBy::kKey, kNumFiles + 1, 1)), IsOk());
}

TEST_F(Shards, AreNotSlicesOfBatches) {
  JobSpec job = JobOf(ShardBy::kKey, 3, 1);
  job.num_lanes = 6;
  EXPECT_THAT(set_->Open(job),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot share batches")));
}

// Last: the others want all workers there.
TEST_F(Shards, OfAKilledWorkerAreTakenOverAndNothingIsLostOrRepeated) {
  const JobSpec job = JobOf(ShardBy::kFile, kNumWorkers, 3);
  const std::vector<std::string> expected = DescribeAll(Expected(job));
  for (const size_t kill_at : {expected.size() / 7, expected.size() / 2}) {
    const auto source = set_->ConsumeShards(job, 0, {.bytes_ahead = kBytesAhead});
    std::vector<std::string> got;
    while (true) {
      if (got.size() == kill_at) {
        std::vector<int> processes;
        while (processes.empty()) processes = set_->stack().Processes(kWorkerProgram);
        kill(processes[kill_at % processes.size()], SIGKILL);
      }
      const auto next = source->Next();
      ASSERT_THAT(next, IsOk()) << set_->stack().Logs();
      if (!*next) break;
      got.push_back(Describe(**next));
    }
    EXPECT_EQ(got, expected) << "killed at batch " << kill_at;
    for (const auto& shard : source->counters()) EXPECT_EQ(shard.num_made_here, 0);
  }
}

// Classes 0 and 1 are a third and two thirds of the rows.
class Mixes : public Shards {
 protected:
  static void MixIn(JobSpec& job) {
    job.mix = {.sources = {{.classes = {0}, .weight = 1}, {.weight = 3}}};
  }
  static int64_t CountOfClass0(const loader::TrainingBatch& batch) {
    return std::ranges::count(batch.rows.Find("target")->Values<int64_t>(), 0);
  }
};

TEST_F(Mixes, EveryBatchFromWorkersHasItsSharesHoweverManyConsumersShareIt) {
  JobSpec job = set_->Job(32, 2);
  MixIn(job);
  const std::vector<loader::TrainingBatch> expected = set_->Expected(job);
  for (const loader::TrainingBatch& batch : expected) {
    if (batch.rows.num_rows() < 32) continue;
    ASSERT_EQ(CountOfClass0(batch), 8) << batch.index;
  }
  EXPECT_EQ(ReadAll(*set_->Consume(job)), DescribeAll(expected));
  std::vector<std::vector<int64_t>> whole;
  for (const loader::TrainingBatch& batch : expected) whole.push_back(OrdinalsOf(batch));
  job.num_lanes = 2;
  std::vector<std::vector<int64_t>> together(whole.size());
  for (int64_t lane = 0; lane < 2; ++lane) {
    const auto source = set_->Consume(job, lane, 0, {.job_name = "mixed lanes"});
    for (std::vector<int64_t>& batch : together) {
      const auto next = source->Next().value();
      ASSERT_TRUE(next.has_value());
      for (const int64_t ordinal : OrdinalsOf(*next)) batch.push_back(ordinal);
    }
  }
  EXPECT_EQ(together, whole);
}

TEST_F(Mixes, OfFilesFollowTheirPaths) {
  JobSpec job = set_->Job(30, 1);
  job.mix = {.sources = {{.files = "*5.csv", .weight = 1}, {.files = "numbers?.csv", .weight = 2}}};
  const auto opened = set_->Open(job);
  ASSERT_THAT(opened, IsOk());
  const auto& sources = opened->division.sources[0]->sources;
  EXPECT_NEAR(static_cast<double>(sources[0].ordinals.size()), kNumSamples * 0.9 / 3, 400);
  job.mix->sources[0].files = "numbers6.csv";
  EXPECT_THAT(set_->Open(job),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("training.mix.sources[0]")));
  job.mix->sources[0].files = "numbers5.csv";
  job.mix->sources[1].files = "numbers1.csv";
  EXPECT_THAT(set_->Open(job),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("belong to no source")));
}

TEST_F(Mixes, WorkWithShardsAndHaveTheirSharesInEach) {
  JobSpec job = JobOf(ShardBy::kFile, kNumWorkers, 1);
  MixIn(job);
  const std::vector<loader::TrainingBatch> expected = Expected(job);
  for (const loader::TrainingBatch& batch : expected) {
    if (batch.rows.num_rows() < 32) continue;
    ASSERT_EQ(CountOfClass0(batch), 8) << batch.index;
  }
  EXPECT_EQ(ReadAll(*set_->ConsumeShards(job)), DescribeAll(expected));
}

constexpr char kCheckpointed[] = "trainer_server.after_checkpoint";

// The small pipeline with two triggers and more in its sections `preprocess` and `training`.
std::string WritePipeline(const std::string& folder, const std::string& preprocess,
                          const std::string& training) {
  const std::string path = WriteSmallPipeline(folder, "{type: amount, samples: 600}");
  std::string text = files::Read(path).value();
  const auto insert = [&](const std::string& behind, const std::string& what) {
    text.insert(text.find(behind) + behind.size(), what);
  };
  insert("preprocess:\n  dataset: drift\n", preprocess);
  insert("training:\n  device: cpu\n", training);
  EXPECT_TRUE(files::WriteAtomically(path, text).ok());
  return path;
}

std::vector<std::string> FingerprintOf(const std::string& preprocess, const std::string& training,
                                       const std::map<std::string, std::string>& environment,
                                       int stopped_workers = 0) {
  const Stack stack;
  std::map<std::string, std::string> all = environment;
  all["TIDEMILL_FAILPOINTS_ONCE"] = stack.files() + "/marks";
  std::filesystem::create_directory(all["TIDEMILL_FAILPOINTS_ONCE"]);
  EXPECT_EQ(stack.Tidemill({"up"}, all).exit_code, 0);
  if (stopped_workers > 0) {
    std::vector<int> workers;
    while (std::ssize(workers) < stopped_workers) {
      workers = stack.Processes(kWorkerProgram);
    }
    for (const int worker : workers) kill(worker, SIGSTOP);
  }
  const CommandResult result =
      stack.Tidemill({"run", WritePipeline(stack.files(), preprocess, training), "--json"});
  for (const int worker : stack.Processes(kWorkerProgram)) kill(worker, SIGCONT);
  EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const bool is_killed = std::filesystem::exists(stack.files() + "/marks/" + kCheckpointed);
  EXPECT_EQ(is_killed, environment.contains("TIDEMILL_FAILPOINTS"));
  return Fingerprint(result.Json());
}

constexpr char kMix[] =
    "  mix: {sources: [{classes: [1], weight: 1}, {weight: 3}]}\n"
    "  early_stopping: {held_out: 0.2, patience: 4}\n";

TEST(MixedTrainings, AreTheSameWithAndWithoutWorkersAndWhenTheyAreInterrupted) {
  const std::vector<std::string> without = FingerprintOf("", kMix, {});
  ASSERT_EQ(without.front(), "succeeded");
  EXPECT_EQ(FingerprintOf("  workers: {}\n", kMix, {{"TIDEMILL_WORKERS", "3"}}), without);
  EXPECT_EQ(FingerprintOf("  workers: {}\n", kMix,
                          {{"TIDEMILL_WORKERS", "2"},
                           {"TIDEMILL_FAILPOINTS", std::string(kCheckpointed) + "=kill"}}),
            without);
  EXPECT_NE(FingerprintOf("", "", {}), without) << "the mix is seen in the weights";
}

TEST(ShardedTrainings, AreTheSameWithAndWithoutWorkersAndWhenTheyAreInterrupted) {
  const std::string shards = "  workers: {shards: {by: key, count: 3}}\n";
  const std::vector<std::string> expected = FingerprintOf(shards, "", {{"TIDEMILL_WORKERS", "3"}});
  ASSERT_EQ(expected.front(), "succeeded");
  EXPECT_EQ(FingerprintOf(shards, "", {{"TIDEMILL_WORKERS", "1"}}, /*stopped_workers=*/1),
            expected);
  EXPECT_EQ(FingerprintOf(shards, "",
                          {{"TIDEMILL_WORKERS", "2"},
                           {"TIDEMILL_FAILPOINTS", std::string(kCheckpointed) + "=kill"}}),
            expected);
  EXPECT_EQ(FingerprintOf(shards, kMix, {{"TIDEMILL_WORKERS", "3"}}).front(), "succeeded");
}

TEST(ShardedTrainings, WithMoreShardsThanFilesFailAndSaySo) {
  const Stack stack;
  const std::string path =
      WritePipeline(stack.files(), "  workers: {shards: {by: file, count: 2}}\n", "");
  const CommandResult result = stack.Tidemill({"run", path, "--json"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.out + result.err, HasSubstr("1 files, but shards.count is 2"));
}

}  // namespace
}  // namespace tidemill::tests
