#include "evaluator/reading/page_reader.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "base/testing/temp_folder.h"
#include "config/config.h"
#include "evaluator/testing/cluster.h"
#include "evaluator/testing/predictors.h"
#include "evaluator/testing/samples.h"
#include "evaluator/testing/workers.h"
#include "evaluator/windows/window_measurement.h"
#include "loader/batches/batch_stream.h"

namespace tidemill::evaluator {
namespace {

using ::testing::ElementsAre;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::TempFolder;

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
  std::vector<std::string> Measure(PreparingWorkers* workers, KeptRows* kept = nullptr) {
    ScoredModel first = testing::ModelOf(1, testing::Prepare(testing::kGraph), "4");
    ScoredModel second = testing::ModelOf(2, testing::Prepare(kFilteringGraph), "20");
    std::vector<ScoredModel*> models = {&first, &second};
    const MeasurementPlan plan{
        .spec = *config::Read<EvaluationSpec>(
            "{dataset: test, measures: [accuracy, log_loss, roc_auc], slices: [class]}", "spec"),
        .class_names = {"LOW", "HIGH"},
        .samples = testing::Schema()};
    WindowMeasurement measurement(0, plan, models);
    PageReader reader(*read_, {.dataset = {1}, .block_rows = 8, .workers = workers, .kept = kept});
    const auto add = [&](const SampleBlock& block) {
      num_prepared_ += block.prepared.empty() ? 0 : 1;
      measurement.Add(block);
      return absl::OkStatus();
    };
    rpc::v1::Snapshot snapshot;
    snapshot.set_dataset_id(1);
    EXPECT_THAT(ListWindow(*read_, snapshot, v1::Window(),
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
  const storage::StorageClient* read_ = &storage_;
  int num_prepared_ = 0;
  PreparedSamples prepared_;
};

// Rows that are kept after the first op, in a folder.
std::unique_ptr<KeptRows> KeptIn(const std::string& folder, const storage::StorageClient& storage) {
  return std::make_unique<KeptRows>(
      storage,
      KeptRows::Options{
          .dataset = {1},
          .store = prepared::HostStore::Open({.disk_folder = folder, .disk_bytes = 1 << 20}),
          .cache = *config::Read<models::CacheSpec>("{type: after, op: parse_csv}", "cache")});
}

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

TEST_F(PageReaderTest, ScoresAndCountsAreTheSameWhetherRowsAreFoundOrMade) {
  const TempFolder folder;
  const std::vector<std::string> made = Measure(nullptr);
  const auto first = KeptIn(folder.path(), storage_);
  EXPECT_EQ(Measure(nullptr, first.get()), made);
  EXPECT_EQ(num_prepared_, 7) << "blocks";
  EXPECT_EQ(prepared_.found, 0);
  // Labelled samples, without 3, 9, 10, 31 and 32, which cannot be read.
  constexpr int64_t kUsable = kNumSamples - 8 - 5;
  int64_t num_kept = 0;
  for (const char* const graph : {testing::kGraph, kFilteringGraph}) {
    num_kept += first->CacheOf(*testing::Prepare(graph))->report().counts.kept;
  }
  EXPECT_EQ(num_kept, kUsable) << "once for both graphs, which begin alike";
  EXPECT_EQ(Measure(nullptr, first.get()), made) << "the next window of the job";
  EXPECT_EQ(prepared_.found, kUsable);
  const int64_t num_read = cluster_.num_samples_read();
  EXPECT_EQ(Measure(nullptr, KeptIn(folder.path(), storage_).get()), made) << "another job";
  EXPECT_EQ(prepared_.found, kUsable);
  EXPECT_EQ(prepared_.here, kNumSamples);
  EXPECT_EQ(cluster_.num_samples_read() - num_read, kNumSamples - kUsable);
}

TEST_F(PageReaderTest, WhatWorkersLeaveIsFound) {
  const TempFolder folder;
  const std::vector<std::string> made = Measure(nullptr);
  Measure(nullptr, KeptIn(folder.path(), storage_).get());
  testing::WorkersHere dying(storage_, {.fails_after = 3});
  EXPECT_EQ(Measure(&dying, KeptIn(folder.path(), storage_).get()), made);
  EXPECT_GT(prepared_.found, 0);
  EXPECT_GT(prepared_.at_workers, 0);
}

TEST_F(PageReaderTest, ADeletedOrChangedRecordIsNeverScoredFromAKeptRow) {
  const TempFolder folder;
  Measure(nullptr, KeptIn(folder.path(), storage_).get());
  const auto measure_with = [&](const testing::OddSamples& odd, bool is_kept) {
    const testing::Cluster cluster(kNumSamples, odd);
    const storage::StorageClient storage(testing::StorageOf(cluster));
    read_ = &storage;
    return Measure(nullptr, is_kept ? KeptIn(folder.path(), storage).get() : nullptr);
  };
  testing::OddSamples odd = {.unreadable = {3}, .deleted = {9, 10}, .unlabelled = {12}};
  for (int64_t key = 5; key < kNumSamples; key += 6) {
    odd.deleted.insert(key);
    odd.broken.insert(key + 1);
    EXPECT_EQ(measure_with(odd, true), measure_with(odd, false)) << key;
  }
}

// The batches of a training over the samples, which keeps rows after the first op.
loader::PathWork Train(const storage::StorageClient& storage, const std::string& folder) {
  auto set = std::make_shared<loader::TrainingSet>();
  for (int64_t key = 1; key <= kNumSamples; ++key) set->keys.push_back(key);
  const SharedGraph graph = testing::Prepare(testing::kGraph);
  loader::BatchParts parts{
      .set = set, .reader = loader::ReaderOf(storage, {1}), .graph = {graph, &graph->graph}};
  parts.cache = *loader::SampleCache::Create(
      {.mode = loader::CacheMode::kAfter,
       .after_op = 0,
       .store = prepared::HostStore::Open({.disk_folder = folder, .disk_bytes = 1 << 20}),
       .graph = parts.graph,
       .identify = [&](std::span<const int64_t> keys) { return storage.FindIdentities({1}, keys); },
       .num_samples = kNumSamples});
  auto stream = loader::BatchStream::Create(
      parts, {.batch_size = 8, .shuffle = {.seed = 1, .purpose = "shuffle"}}, {});
  EXPECT_THAT(stream, IsOk());
  for (auto next = (*stream)->Next(); next.ok() && *next; next = (*stream)->Next()) continue;
  return (*stream)->work();
}

TEST_F(PageReaderTest, WhatATrainingKeptIsFoundAndTheReverse) {
  const std::vector<std::string> made = Measure(nullptr);
  const TempFolder by_training;
  EXPECT_EQ(Train(storage_, by_training.path()).found, 0);
  EXPECT_EQ(Measure(nullptr, KeptIn(by_training.path(), storage_).get()), made);
  EXPECT_EQ(prepared_.found, kNumSamples - 8 - 5);
  const TempFolder by_evaluation;
  Measure(nullptr, KeptIn(by_evaluation.path(), storage_).get());
  EXPECT_EQ(Train(storage_, by_evaluation.path()).found, kNumSamples - 8 - 5);
}

}  // namespace
}  // namespace tidemill::evaluator
