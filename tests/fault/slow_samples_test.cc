// Samples that are slow now and then, with real processes: they hold up no others, and none is lost
// or repeated, whichever process dies.
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "batch/slice.h"
#include "batch/wire.h"
#include "tests/prepared_set.h"

namespace tidemill::tests {
namespace {

using preprocess::Delivery;
using preprocess::JobSpec;
using preprocess::WorkerSource;
using ::tidemill::testing::IsOk;

constexpr int64_t kSamplesOfSlowJob = 6000;
constexpr int64_t kSlowBatchSize = 64;
constexpr int64_t kEpochs = 2;
constexpr char kSlow[] = "- delay: {milliseconds: 100, share: 0.01, per: sample}\n";
constexpr char kWorkerProgram[] = "tidemill-preprocess-worker";

// By epoch and ordinal, the columns of a sample.
using Samples = std::map<std::pair<int64_t, int64_t>, std::string>;

// Adds a batch's samples; fails the test for one that is there.
void Add(const loader::TrainingBatch& batch, Samples& samples) {
  if (batch.rows.num_rows() == 0) return;
  const auto ordinals = batch.rows.Find("ordinal")->Values<int64_t>();
  for (int64_t row = 0; row < batch.rows.num_rows(); ++row) {
    const auto key = std::pair(batch.epoch, ordinals[static_cast<size_t>(row)]);
    const bool is_new =
        samples.emplace(key, batch::Encode(batch::Slice(batch.rows, row, row + 1))).second;
    EXPECT_TRUE(is_new) << "epoch " << key.first << " ordinal " << key.second;
  }
}

Samples Expected(const PreparedSet& set) {
  Samples samples;
  // The same but for the time that it takes.
  for (const loader::TrainingBatch& batch : set.Expected(set.Job(kSlowBatchSize, kEpochs))) {
    Add(batch, samples);
  }
  return samples;
}

JobSpec SlowJob(const PreparedSet& set) {
  JobSpec job = set.Job(kSlowBatchSize, kEpochs, kSlow);
  job.slow_after = 2000;
  return job;
}

// What a source gives, in batches that are full but for an epoch's last; after `kill_at` batches
// one of the workers is killed.
Samples ReadAll(const PreparedSet& set, WorkerSource& source, int64_t kill_at = -1) {
  Samples samples;
  std::map<int64_t, int> smaller;
  for (int64_t count = 0;; ++count) {
    if (count == kill_at) kill(set.stack().Processes(kWorkerProgram).at(0), SIGKILL);
    const auto next = source.Next();
    EXPECT_THAT(next, IsOk()) << set.stack().Logs();
    if (!next.ok() || !*next) break;
    if ((*next)->rows.num_rows() < kSlowBatchSize) ++smaller[(*next)->epoch];
    Add(**next, samples);
  }
  for (const auto& [epoch, count] : smaller) EXPECT_LE(count, 1) << "epoch " << epoch;
  EXPECT_EQ(source.counters().num_made_here, 0);
  return samples;
}

TEST(SlowSamples, ComeOnceEachWhenAWorkerIsKilled) {
  const PreparedSet set(kSamplesOfSlowJob, 2);
  const Samples expected = Expected(set);
  ASSERT_GT(std::ssize(expected), kEpochs * kSamplesOfSlowJob / 2);
  std::mt19937 random(3);
  for (const auto transport : {preprocess::Transport::kAuto, preprocess::Transport::kFrames}) {
    const auto source = set.Consume(
        SlowJob(set), 0, 0, {.delivery = Delivery::kRelaxed, .link = {.transport = transport}});
    const auto kill_at = static_cast<int64_t>(random() % 120);
    EXPECT_EQ(ReadAll(set, *source, kill_at), expected) << "killed at batch " << kill_at;
  }
}

TEST(SlowSamples, ComeOnceEachWhenAWorkerDiesBetweenThePartsOfABatch) {
  std::string marks = "/tmp/tidemill-marks-XXXXXX";
  ASSERT_NE(mkdtemp(marks.data()), nullptr);
  const PreparedSet set(kSamplesOfSlowJob, 2,
                        {{"TIDEMILL_FAILPOINTS", "preprocess_worker.before_late_rows=kill:5"},
                         {"TIDEMILL_FAILPOINTS_ONCE", marks}});
  const auto source = set.Consume(SlowJob(set), 0, 0, {.delivery = Delivery::kRelaxed});
  EXPECT_EQ(ReadAll(set, *source), Expected(set));
  EXPECT_TRUE(std::filesystem::exists(marks + "/preprocess_worker.before_late_rows"))
      << "nobody died";
  std::filesystem::remove_all(marks);
}

TEST(SlowSamples, BatchesThatATokenLeavesOutAreNotRepeated) {
  const PreparedSet set(kSamplesOfSlowJob, 2);
  const JobSpec job = SlowJob(set);
  Samples first;
  preprocess::ResumeToken token;
  {
    const auto source = set.Consume(job, 0, 0, {.delivery = Delivery::kRelaxed});
    for (int count = 0; count < 60; ++count) Add(source->Next().value().value(), first);
    token = source->token();
  }
  EXPECT_GT(token.done_before + std::ssize(token.done_beyond), 0);
  const auto source =
      set.Consume(job, 0, token.done_before,
                  {.delivery = Delivery::kRelaxed, .done_beyond = token.done_beyond});
  const Samples second = ReadAll(set, *source);
  Samples both = first;
  both.insert(second.begin(), second.end());
  EXPECT_EQ(both, Expected(set));
  const auto num_done =
      kSlowBatchSize * (token.done_before + static_cast<int64_t>(token.done_beyond.size()));
  EXPECT_LE(std::ssize(second), std::ssize(both) - num_done);
}

}  // namespace
}  // namespace tidemill::tests
