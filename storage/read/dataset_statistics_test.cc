// Counts compared with what the test wrote, on a real PostgreSQL.
#include "storage/read/dataset_statistics.h"

#include <map>

#include "storage/testing/ingest_fixture.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IngestTest;
using ::testing::IsEmpty;
using ::testing::Pair;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

class DatasetStatisticsTest : public IngestTest {
 protected:
  std::shared_ptr<const DatasetIndex> IndexOf(DatasetId id) {
    SampleIndex indexes(stack_->database(), stack_->catalog(), stack_->cache());
    const auto index = indexes.Refresh(id);
    EXPECT_THAT(index, IsOk());
    return *index;
  }

  DatasetStatistics Collect(DatasetId id, int num_intervals = 20) {
    const auto statistics = CollectStatistics(*IndexOf(id), num_intervals);
    EXPECT_THAT(statistics, IsOk());
    return statistics.value_or(DatasetStatistics{});
  }
};

TEST_F(DatasetStatisticsTest, ClassesAndFilesAreCounted) {
  data_.Write("a.csv", "t,y\n1,3\n2,3\n3,1\n");
  data_.Write("b.csv", "t,y\n4,3\n");
  const DatasetId id = Sync(Register(SpecText())).dataset;
  const DatasetStatistics statistics = Collect(id);
  EXPECT_THAT(statistics.classes, ElementsAre(Pair(1, 1), Pair(3, 3)));
  EXPECT_EQ(statistics.num_without_class, 0);
  EXPECT_FALSE(statistics.real_labels.has_value());
  ASSERT_EQ(statistics.files.size(), 2);
  EXPECT_EQ(statistics.files[0].num_samples, 3);
  EXPECT_EQ(statistics.files[1].num_samples, 1);
  EXPECT_EQ(*IndexOf(id)->PathOf(statistics.files[0].id), data_.path() + "/a.csv");
  const auto sizes =
      stack_->catalog().SizesOf(id, {statistics.files[0].id, statistics.files[1].id});
  ASSERT_THAT(sizes, IsOk());
  EXPECT_EQ(sizes->all_files, 16 + 8);
  EXPECT_EQ(sizes->by_file.at(statistics.files[1].id).size_bytes, 8);
}

TEST_F(DatasetStatisticsTest, IntervalsPartitionTheTime) {
  data_.Write("a.csv", "t,y\n0,1\n10,1\n11,1\n39,1\n40,1\n");
  const DatasetStatistics statistics = Collect(Sync(Register(SpecText())).dataset, 4);
  // 40 s and a microsecond in four: 10 s and a microsecond each.
  ASSERT_EQ(statistics.intervals.size(), 4);
  std::vector<int64_t> counts;
  int64_t from = 0;
  for (const auto& interval : statistics.intervals) {
    EXPECT_EQ(interval.from, from);
    EXPECT_EQ(interval.to, from + 10'000'001);
    from = interval.to;
    counts.push_back(interval.num_samples);
  }
  EXPECT_THAT(counts, ElementsAre(2, 1, 0, 2));
}

TEST_F(DatasetStatisticsTest, OneMomentIsOneInterval) {
  data_.Write("a.csv", "t,y\n5,1\n5,1\n");
  const DatasetStatistics statistics = Collect(Sync(Register(SpecText())).dataset);
  ASSERT_EQ(statistics.intervals.size(), 1);
  EXPECT_EQ(statistics.intervals[0].num_samples, 2);
}

TEST_F(DatasetStatisticsTest, RealLabelsHaveMomentsAndDeletedSamplesCountNowhere) {
  data_.Write("a.csv", "t,y\n1,2\n2,4\n3,4\n4,4\n5,5\n6,5\n7,7\n8,9\n9,1000\n");
  std::string spec = SpecText();
  spec.replace(spec.find("{column: y}"), 11, "{column: y, kind: real}");
  const DatasetSnapshot snapshot = Sync(Register(spec));
  ASSERT_THAT(stack_->catalog().DeleteSamples(snapshot.dataset, {{snapshot.committed_key}}, {}),
              IsOk());
  const DatasetStatistics statistics = Collect(snapshot.dataset, 1);
  EXPECT_THAT(statistics.classes, IsEmpty());
  ASSERT_TRUE(statistics.real_labels.has_value());
  EXPECT_EQ(statistics.real_labels->num_samples, 8);
  EXPECT_DOUBLE_EQ(statistics.real_labels->mean, 5);
  EXPECT_DOUBLE_EQ(statistics.real_labels->standard_deviation, 2);
  EXPECT_EQ(statistics.real_labels->min, 2);
  EXPECT_EQ(statistics.real_labels->max, 9);
  EXPECT_EQ(statistics.intervals.at(0).num_samples, 8);
}

TEST_F(DatasetStatisticsTest, AnEmptyDatasetHasNothingToCount) {
  const DatasetStatistics statistics = Collect(Sync(Register(SpecText())).dataset);
  EXPECT_THAT(statistics.classes, IsEmpty());
  EXPECT_THAT(statistics.intervals, IsEmpty());
  EXPECT_THAT(statistics.files, IsEmpty());
}

TEST_F(DatasetStatisticsTest, ANumberOfIntervalsOutOfRangeIsRefused) {
  const DatasetId id = Sync(Register(SpecText())).dataset;
  for (const int wrong : {-1, 0, 1001}) {
    EXPECT_THAT(CollectStatistics(*IndexOf(id), wrong),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("intervals")));
  }
}

}  // namespace
}  // namespace tidemill::storage
