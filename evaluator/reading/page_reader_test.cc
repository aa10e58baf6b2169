#include "evaluator/reading/page_reader.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "evaluator/testing/cluster.h"
#include "evaluator/testing/predictors.h"
#include "evaluator/testing/samples.h"
#include "evaluator/testing/workers.h"
#include "evaluator/windows/window_measurement.h"

namespace tidemill::evaluator {
namespace {

using ::testing::ElementsAre;
using ::tidemill::testing::IsOk;

constexpr int64_t kNumSamples = 50;
constexpr char kFilteringGraph[] = R"(
- parse_csv: {columns: [x]}
- filter: x < 20 or x > 23
- stack: {columns: all}
- label: {}
)";

class PageReaderTest : public ::testing::Test {
 protected:
  // The scores of a model of each graph on all samples, in blocks of 8.
  std::vector<std::string> Measure(PreparingWorkers* workers) {
    ScoredModel first = testing::ModelOf(1, testing::Prepare(testing::kGraph), "4");
    ScoredModel second = testing::ModelOf(2, testing::Prepare(kFilteringGraph), "20");
    std::vector<ScoredModel*> models = {&first, &second};
    const MeasurementPlan plan{
        .spec = *config::Read<EvaluationSpec>(
            "{dataset: test, measures: [accuracy, log_loss, roc_auc], slices: [class]}", "spec"),
        .class_names = {"LOW", "HIGH"},
        .samples = testing::Schema()};
    WindowMeasurement measurement(0, plan, models);
    PageReader reader(storage_, {.dataset = {1}, .block_rows = 8, .workers = workers});
    const auto add = [&](const SampleBlock& block) {
      num_prepared_ += block.prepared.empty() ? 0 : 1;
      measurement.Add(block);
      return absl::OkStatus();
    };
    rpc::v1::Snapshot snapshot;
    snapshot.set_dataset_id(1);
    EXPECT_THAT(ListWindow(storage_, snapshot, v1::Window(),
                           [&](const batch::Batch& page) {
                             return reader.Read(page, measurement.graphs(), add);
                           }),
                IsOk());
    prepared_ = reader.prepared();
    EXPECT_EQ(prepared_.here + prepared_.at_workers, kNumSamples);
    std::vector<std::string> scores;
    for (const v1::ModelScores& of : measurement.Scores()) {
      EXPECT_EQ(of.common().num_known(), kNumSamples);
      EXPECT_EQ(of.common().num_known(),
                of.common().num_samples() + of.common().num_bad() + of.common().num_unlabelled() +
                    of.common().num_deleted() + of.common().num_filtered());
      scores.push_back(of.SerializeAsString());
    }
    return scores;
  }

  testing::Cluster cluster_{kNumSamples,
                            {.unreadable = {3, 31, 32},
                             .deleted = {9, 10, 33},
                             .unlabelled = {1, 12, 13, 14, 15, 33, 34, 50},
                             .broken = {5, 14, 35}}};
  storage::StorageClient storage_{testing::StorageOf(cluster_)};
  int num_prepared_ = 0;
  PreparedSamples prepared_;
};

TEST_F(PageReaderTest, ScoresAndCountsAreTheSameWhoeverPreparesTheSamples) {
  const std::vector<std::string> here = Measure(nullptr);
  EXPECT_EQ(num_prepared_, 0);
  testing::WorkersHere workers(storage_);
  EXPECT_EQ(Measure(&workers), here);
  EXPECT_EQ(num_prepared_, 7) << "blocks that workers prepared";
  EXPECT_THAT(workers.opened(), ElementsAre(kNumSamples - 8, kNumSamples - 8))
      << "one source for each graph, without the samples that have no label";
}

TEST_F(PageReaderTest, ThisProcessPreparesWhatWorkersLeave) {
  const std::vector<std::string> here = Measure(nullptr);
  testing::WorkersHere refusing(storage_, {.takes = false});
  EXPECT_EQ(Measure(&refusing), here);
  EXPECT_EQ(num_prepared_, 0);
  EXPECT_THAT(refusing.opened(), ElementsAre());
  testing::WorkersHere dying(storage_, {.fails_after = 3});
  EXPECT_EQ(Measure(&dying), here);
  EXPECT_EQ(num_prepared_, 3) << "the batches that came";
  testing::WorkersHere absent(storage_, {.fails_after = 0});
  EXPECT_EQ(Measure(&absent), here);
}

TEST_F(PageReaderTest, OnlySamplesThatAreNotPreparedAreReadHere) {
  Measure(nullptr);
  const int64_t read_here = cluster_.num_samples_read();
  EXPECT_EQ(read_here, kNumSamples);
  EXPECT_EQ(prepared_.at_workers, 0);
  testing::WorkersHere workers(storage_);
  Measure(&workers);
  const int64_t at_workers = 2 * (kNumSamples - 8);
  // Those without a label, those that are bad, and what the filter leaves out beside a bad one.
  EXPECT_EQ(cluster_.num_samples_read() - read_here - at_workers, 8 + 7 + 4);
  EXPECT_EQ(prepared_.here, 8 + 7 + 4);
}

}  // namespace
}  // namespace tidemill::evaluator
