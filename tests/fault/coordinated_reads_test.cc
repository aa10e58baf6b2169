// Consumers that share batches of samples of similar length, while workers come and go.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "tests/prepared_set.h"

namespace tidemill::tests {
namespace {

using preprocess::JobSpec;
using preprocess::WorkerSource;
using ::tidemill::testing::IsOk;

constexpr int64_t kNumSamples = 20'000;
constexpr int64_t kNumConsumers = 4;
constexpr int64_t kWindow = 64;
constexpr char kWorkerProgram[] = "tidemill-preprocess-worker";
// Workers take their time, so that there is something to kill.
constexpr char kSlow[] = "preprocess_worker.after_making=delay:4ms";
constexpr int64_t kBytesAhead = int64_t{256} << 10;

struct Padding {
  int64_t places = 0;
  int64_t numbers = 0;

  void Add(const batch::Batch& rows) {
    for (const int64_t number : rows.Find("input")->Values<int64_t>()) {
      ++places;
      if (number != 0) ++numbers;
    }
  }
  double share() const {
    return static_cast<double>(places - numbers) / static_cast<double>(places);
  }
};

class CoordinatedReads : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    set_ = new PreparedSet(kNumSamples, 3, {{"TIDEMILL_FAILPOINTS", kSlow}},
                           {.texts = RowTexts::kLogNormal});
  }
  static void TearDownTestSuite() {
    delete set_;
    set_ = nullptr;
  }

  static JobSpec MakeJob(int64_t num_consumers, models::RowLayout layout) {
    JobSpec job = set_->TextJob(64, 2);
    job.num_lanes = num_consumers;
    job.buckets = models::Buckets{.window = kWindow, .layout = layout};
    return job;
  }

  static std::vector<std::unique_ptr<WorkerSource>> ConsumeAll(const JobSpec& job,
                                                               const std::string& name,
                                                               int64_t first_batch = 0) {
    std::vector<std::unique_ptr<WorkerSource>> sources;
    for (int64_t lane = 0; lane < job.num_lanes; ++lane) {
      sources.push_back(
          set_->Consume(job, lane, first_batch, {.job_name = name, .bytes_ahead = kBytesAhead}));
    }
    return sources;
  }

  // The next batch of each source; empty after the last.
  static std::vector<loader::TrainingBatch> Step(
      const std::vector<std::unique_ptr<WorkerSource>>& sources) {
    std::vector<loader::TrainingBatch> batches;
    for (const auto& source : sources) {
      auto next = source->Next();
      EXPECT_THAT(next, IsOk()) << set_->stack().Logs();
      if (next.ok() && *next) batches.push_back(**std::move(next));
    }
    EXPECT_TRUE(batches.empty() || batches.size() == sources.size());
    return batches;
  }

  static PreparedSet* set_;
};

PreparedSet* CoordinatedReads::set_ = nullptr;

TEST_F(CoordinatedReads, AStepsBatchesAreOfOneWidthAndHardlyPaddedWhileWorkersComeAndGo) {
  const JobSpec job = MakeJob(kNumConsumers, models::RowLayout::kPadded);
  std::vector<std::vector<loader::TrainingBatch>> expected;
  for (int64_t lane = 0; lane < kNumConsumers; ++lane) {
    expected.push_back(set_->Expected(job, lane));
  }
  const size_t num_steps = expected[0].size();
  const auto sources = ConsumeAll(job, "coordinated");
  std::multiset<std::pair<int64_t, int64_t>> had;
  Padding padding;
  for (size_t step = 0;; ++step) {
    if (step == num_steps / 4) {
      kill(set_->stack().Processes(kWorkerProgram).front(), SIGKILL);
    }
    if (step == num_steps / 3) set_->StartWorker("joining-coordinated");
    const std::vector<loader::TrainingBatch> batches = Step(sources);
    if (batches.empty()) {
      EXPECT_EQ(step, num_steps);
      break;
    }
    for (size_t lane = 0; lane < batches.size(); ++lane) {
      ASSERT_EQ(Describe(batches[lane]), Describe(expected[lane][step]))
          << "lane " << lane << " step " << step;
      if (batches[lane].rows.num_rows() == 0) continue;
      EXPECT_EQ(batches[lane].rows.Find("input")->shape, batches[0].rows.Find("input")->shape);
      padding.Add(batches[lane].rows);
      for (const int64_t ordinal : batches[lane].rows.Find("ordinal")->Values<int64_t>()) {
        had.emplace(batches[lane].epoch, ordinal);
      }
    }
  }
  const auto links = sources[0]->counters().links;
  EXPECT_TRUE(std::ranges::any_of(
      links, [](const auto& link) { return link.first.find("joining") != std::string::npos; }));
  const std::set<std::pair<int64_t, int64_t>> different(had.begin(), had.end());
  EXPECT_EQ(different.size(), had.size()) << "no sample came twice";
  EXPECT_EQ(std::ssize(had), 2 * (had.rbegin()->second + 1)) << "and none was left out";
  for (const auto& source : sources) EXPECT_EQ(source->counters().num_made_here, 0);

  // The same batches cut to their longest row, without buckets.
  JobSpec trimmed = job;
  trimmed.num_lanes = 1;
  trimmed.buckets->window = 1;
  Padding uncoordinated;
  for (const auto& batch : set_->Expected(trimmed)) uncoordinated.Add(batch.rows);
  const auto work = sources[0]->work();
  std::printf("padding %.3f with buckets, %.3f without; %lld rows made for %zu\n", padding.share(),
              uncoordinated.share(),
              static_cast<long long>(work.ops.empty() ? 0 : work.ops[0].work.rows), had.size());
  EXPECT_LE(padding.share(), uncoordinated.share() / 2);
}

TEST_F(CoordinatedReads, ConsumersThatResumeWithinAWindowInOtherNumbersSeeWhatWasLeft) {
  for (const auto layout : {models::RowLayout::kPadded, models::RowLayout::kRagged}) {
    const std::vector<loader::TrainingBatch> whole = set_->Expected(MakeJob(1, layout));
    const int64_t first = 2 * kWindow + 5;
    const std::string name = layout == models::RowLayout::kPadded ? "padded" : "ragged";
    const auto sources = ConsumeAll(MakeJob(2, layout), "resumed/" + name, first);
    for (size_t step = first; step < whole.size(); ++step) {
      std::vector<batch::Batch> parts;
      for (const loader::TrainingBatch& batch : Step(sources)) {
        if (batch.rows.num_rows() > 0) parts.push_back(batch.rows);
      }
      const auto joined = batch::Concatenate(parts);
      ASSERT_THAT(joined, IsOk());
      loader::TrainingBatch got = whole[step];
      got.rows = *joined;
      ASSERT_EQ(Describe(got), Describe(whole[step])) << "step " << step;
    }
    EXPECT_TRUE(Step(sources).empty());
  }
}

}  // namespace
}  // namespace tidemill::tests
