#include "storage/index/dataset_index.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "storage/index/interval_reader.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

using Stream = std::vector<std::pair<int64_t, int64_t>>;  // (event time, key)

// Makes indexes of segments that are given by their event times; the keys start at 100 and leave
// gaps of 10 between segments.
class IndexBuilder {
 public:
  IndexBuilder() : folder_(fmt::format("{}/index_{}", ::testing::TempDir(), getpid())) {
    EXPECT_THAT(files::Remove(folder_), IsOk());
  }
  ~IndexBuilder() { files::Remove(folder_).IgnoreError(); }

  void AddSegment(const std::vector<int64_t>& event_times) {
    SegmentRows rows;
    rows.event_time = event_times;
    rows.byte_from.resize(event_times.size());
    rows.byte_to.resize(event_times.size());
    rows.hash.resize(event_times.size());
    rows.real_label.resize(event_times.size());
    for (size_t row = 0; row < event_times.size(); ++row) {
      const int64_t key = next_key_ + static_cast<int64_t>(row);
      rows.class_label.push_back(key % 3 == 0 ? std::nullopt : std::optional<int64_t>(key * 7));
      stream_.emplace_back(event_times[row], key);
    }
    const auto segment_id = static_cast<int64_t>(parts_.segments.size()) + 1;
    const std::string path = SegmentPath(folder_, {1}, segment_id);
    EXPECT_THAT(WriteSegmentColumns(path, rows), IsOk());
    auto columns = OpenSegmentColumns(path);
    ASSERT_THAT(columns, IsOk());
    parts_.segments.push_back(
        {.segment_id = segment_id,
         .file = FileId{segment_id},
         .first_key = next_key_,
         .num_samples = rows.num_rows(),
         .columns = std::make_shared<const SegmentColumns>(*std::move(columns))});
    next_key_ += rows.num_rows();
    parts_.committed_key = next_key_ - 1;
    next_key_ += 10;
  }

  void Delete(int64_t key) {
    auto tombstones = std::make_shared<Tombstones>(*parts_.tombstones);
    (*tombstones)[key] = ++parts_.tombstone_sequence;
    parts_.tombstones = tombstones;
  }

  std::shared_ptr<const DatasetIndex> Make(const DatasetIndex* before = nullptr) const {
    return std::make_shared<const DatasetIndex>(parts_, before);
  }

  // What was added, in the order that the index must find.
  Stream SortedStream() const {
    Stream sorted = stream_;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

  int64_t committed_key() const { return parts_.committed_key; }
  int64_t tombstone_sequence() const { return parts_.tombstone_sequence; }

 private:
  const std::string folder_;
  DatasetIndexParts parts_{.dataset = {1}};
  int64_t next_key_ = 100;
  Stream stream_;
};

std::vector<int64_t> RandomTimes(std::mt19937& random, int64_t count) {
  std::vector<int64_t> times;
  for (int64_t i = 0; i < count; ++i) times.push_back(static_cast<int64_t>(random() % 50));
  return times;
}

Stream OrderOf(const DatasetIndex& index) {
  Stream stream;
  for (int64_t position = 0; position < index.num_rows(); ++position) {
    const SampleLocation location = index.LocationOf(index.order().RowAt(position));
    stream.emplace_back(location.event_time(), location.key());
  }
  return stream;
}

Stream ReadAll(const std::shared_ptr<const DatasetIndex>& index, const IntervalQuery& query) {
  Stream stream;
  auto reader = IntervalReader::Create(index, query);
  EXPECT_THAT(reader, IsOk());
  while (true) {
    const auto rows = reader->Next(65'536);
    EXPECT_THAT(rows, IsOk());
    if (!rows->has_value()) return stream;
    const auto times = (*rows)->Find(batch::kEventTimeColumn)->Values<int64_t>();
    for (size_t row = 0; row < times.size(); ++row) {
      stream.emplace_back(times[row], (*rows)->keys()[row]);
    }
  }
}

IntervalQuery Everything(const IndexBuilder& builder) {
  return {.committed_key = builder.committed_key(),
          .tombstone_sequence = builder.tombstone_sequence()};
}

TEST(DatasetIndex, KeysInTheOrderOfTimeNeedNoPermutation) {
  IndexBuilder builder;
  builder.AddSegment({1, 1, 2});
  builder.AddSegment({2, 5});
  const auto index = builder.Make();
  EXPECT_TRUE(index->order().is_by_key());
  EXPECT_EQ(OrderOf(*index), builder.SortedStream());
}

TEST(DatasetIndex, RandomTimesAreOrderedByTimeThenKey) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    IndexBuilder builder;
    for (int64_t i = 0; i < 4; ++i) {
      builder.AddSegment(RandomTimes(random, 1 + static_cast<int64_t>(random() % 30)));
    }
    EXPECT_EQ(OrderOf(*builder.Make()), builder.SortedStream());
  }
}

TEST(DatasetIndex, ALaterVersionExtendsTheOrder) {
  std::mt19937 random(2);
  IndexBuilder builder;
  builder.AddSegment({10, 20, 30});
  std::shared_ptr<const DatasetIndex> index = builder.Make();
  EXPECT_TRUE(index->order().is_by_key());
  for (int i = 0; i < 10; ++i) {
    builder.AddSegment(RandomTimes(random, 20));
    index = builder.Make(index.get());
    EXPECT_EQ(OrderOf(*index), builder.SortedStream());
  }
  EXPECT_FALSE(index->order().is_by_key());
}

TEST(DatasetIndex, FindsEveryKeyAndNoneBetweenSegments) {
  IndexBuilder builder;
  builder.AddSegment({1, 2, 3});
  builder.AddSegment({4, 5});
  const auto index = builder.Make();
  std::set<int64_t> found;
  for (int64_t key = 0; key < 200; ++key) {
    const auto location = index->Find(key);
    if (!location.has_value()) continue;
    EXPECT_EQ(location->key(), key);
    found.insert(key);
  }
  EXPECT_THAT(found, ElementsAre(100, 101, 102, 113, 114));
}

TEST(DatasetIndex, CutsAreBeforeTheSampleTheyName) {
  IndexBuilder builder;
  builder.AddSegment({5, 1, 3});  // Keys 100, 101, 102.
  const auto index = builder.Make();
  EXPECT_THAT(index->LowerBound({{1}, {101}}), IsOkAndHolds(0));
  EXPECT_THAT(index->LowerBound({{1}, {102}}), IsOkAndHolds(1));
  EXPECT_THAT(index->LowerBound({{3}, {0}}), IsOkAndHolds(1));
  EXPECT_THAT(index->LowerBound({{5}, {100}}), IsOkAndHolds(2));
  EXPECT_THAT(index->LowerBound({{6}, {0}}), IsOkAndHolds(3));
}

TEST(IntervalReader, WorkersPartitionEveryInterval) {
  std::mt19937 random(3);
  IndexBuilder builder;
  for (int i = 0; i < 5; ++i) builder.AddSegment(RandomTimes(random, 37));
  for (const int64_t key : {100, 120, 131, 150, 199}) builder.Delete(key);
  const auto index = builder.Make();
  for (const int32_t num_workers : {1, 2, 3, 7, 300}) {
    IntervalQuery query = Everything(builder);
    query.from = Cut{{10}, {0}};
    query.to = Cut{{40}, {0}};
    const Stream whole = ReadAll(index, query);
    ASSERT_GT(whole.size(), 50);
    Stream joined;
    size_t least = whole.size();
    size_t most = 0;
    query.num_workers = num_workers;
    for (query.worker_index = 0; query.worker_index < num_workers; ++query.worker_index) {
      const Stream slice = ReadAll(index, query);
      joined.insert(joined.end(), slice.begin(), slice.end());
      least = std::min(least, slice.size());
      most = std::max(most, slice.size());
    }
    EXPECT_EQ(joined, whole);
    EXPECT_LE(most - least, 1);
  }
}

TEST(IntervalReader, ASnapshotHidesLaterKeysAndLaterTombstones) {
  IndexBuilder builder;
  builder.AddSegment({10, 20, 30});  // Keys 100, 101, 102.
  builder.Delete(100);
  const IntervalQuery early = Everything(builder);
  builder.AddSegment({15, 25});  // Keys 113, 114.
  builder.Delete(102);
  const auto index = builder.Make();
  EXPECT_THAT(ReadAll(index, early), ElementsAreArray(Stream{{20, 101}, {30, 102}}));
  EXPECT_THAT(ReadAll(index, Everything(builder)),
              ElementsAreArray(Stream{{15, 113}, {20, 101}, {25, 114}}));
}

TEST(IntervalReader, ASnapshotHidesLaterTombstonesWhereKeysAreInTheOrderOfTime) {
  IndexBuilder builder;
  builder.AddSegment({10, 20, 30, 40});  // Keys 100 to 103.
  builder.Delete(101);
  const IntervalQuery early = Everything(builder);
  builder.Delete(102);
  const auto index = builder.Make();
  EXPECT_THAT(ReadAll(index, early), ElementsAreArray(Stream{{10, 100}, {30, 102}, {40, 103}}));
  EXPECT_THAT(ReadAll(index, Everything(builder)), ElementsAreArray(Stream{{10, 100}, {40, 103}}));
}

TEST(DatasetIndex, SortsTombstonesOnceForItsReadersAndForVersionsWithTheSame) {
  IndexBuilder builder;
  builder.AddSegment({10, 20, 30});
  builder.Delete(102);
  builder.Delete(100);
  const auto index = builder.Make();
  const auto sorted = index->deletions();
  ASSERT_EQ(sorted->size(), 2U);
  EXPECT_EQ(sorted->front().key, 100);
  EXPECT_EQ(sorted->front().sequence, 2);
  builder.AddSegment({40});
  const auto next = builder.Make(index.get());
  EXPECT_EQ(next->deletions(), sorted);
  builder.Delete(101);
  EXPECT_EQ(builder.Make(next.get())->deletions()->size(), 3U);
}

TEST(IntervalReader, ListsWhatIsNewerThanAKey) {
  std::mt19937 random(11);
  IndexBuilder builder;
  for (const int64_t count : {40, 1, 90, 25}) builder.AddSegment(RandomTimes(random, count));
  builder.Delete(160);
  const auto index = builder.Make();
  for (const int64_t after : {1, 99, 100, 120, 139, 145, 200, 300}) {
    IntervalQuery query = Everything(builder);
    query.after_key = after;
    query.from = Cut{{10}, {130}};
    query.to = Cut{{45}, {0}};
    Stream expected;
    for (const auto& [time, key] : builder.SortedStream()) {
      const Cut place{{time}, {key}};
      if (key > after && key != 160 && *query.from <= place && place < *query.to) {
        expected.emplace_back(time, key);
      }
    }
    EXPECT_THAT(ReadAll(index, query), ElementsAreArray(expected)) << after;
  }
}

TEST(IntervalReader, LeavesOutWhatCameLate) {
  std::mt19937 random(12);
  IndexBuilder builder;
  builder.AddSegment(RandomTimes(random, 60));
  const int64_t first_known = builder.committed_key();
  builder.AddSegment(RandomTimes(random, 60));
  const int64_t second_known = builder.committed_key();
  builder.AddSegment(RandomTimes(random, 60));
  IntervalQuery query = Everything(builder);
  query.horizons = {{{{10}, {0}}, first_known}, {{{30}, {150}}, second_known}};
  Stream expected;
  for (const auto& [time, key] : builder.SortedStream()) {
    const Cut place{{time}, {key}};
    if (place < query.horizons[0].before && key > first_known) continue;
    if (place < query.horizons[1].before && key > second_known) continue;
    expected.emplace_back(time, key);
  }
  EXPECT_LT(expected.size(), 180);
  EXPECT_THAT(ReadAll(builder.Make(), query), ElementsAreArray(expected));
  // From the middle on, and in slices, the same samples are left out.
  query.from = Cut{{20}, {0}};
  std::erase_if(expected, [](const auto& sample) { return sample.first < 20; });
  Stream slices;
  query.num_workers = 3;
  for (query.worker_index = 0; query.worker_index < 3; ++query.worker_index) {
    for (const auto& sample : ReadAll(builder.Make(), query)) slices.push_back(sample);
  }
  EXPECT_THAT(slices, ElementsAreArray(expected));
}

TEST(IntervalReader, LabelsBelongToTheirKeys) {
  IndexBuilder builder;
  builder.AddSegment({3, 1, 2, 0});
  IntervalQuery query = Everything(builder);
  query.with_labels = true;
  auto reader = IntervalReader::Create(builder.Make(), query);
  ASSERT_THAT(reader, IsOk());
  const auto rows = reader->Next(65'536);
  ASSERT_THAT(rows, IsOk());
  ASSERT_TRUE(rows->has_value());
  EXPECT_THAT((*rows)->keys(), ElementsAre(103, 101, 102, 100));
  const batch::Column& labels = *(*rows)->Find(batch::kClassLabelColumn);
  for (int64_t row = 0; row < 4; ++row) {
    const int64_t key = (*rows)->keys()[static_cast<size_t>(row)];
    EXPECT_EQ(labels.IsValid(row), key % 3 != 0);
    if (labels.IsValid(row)) {
      EXPECT_EQ(labels.Values<int64_t>()[static_cast<size_t>(row)], key * 7);
    }
    EXPECT_FALSE((*rows)->Find(batch::kRealLabelColumn)->IsValid(row));
  }
}

// Times that ascend, several samples at each.
std::vector<int64_t> AscendingTimes(int64_t from, int64_t count) {
  std::vector<int64_t> times;
  for (int64_t i = 0; i < count; ++i) times.push_back(from + i / 3);
  return times;
}

TEST(IntervalReader, RunsOfRowsAreCutWhereSamplesAreLeftOut) {
  std::mt19937 random(13);
  IndexBuilder builder;
  builder.AddSegment(AscendingTimes(0, 30'000));
  const int64_t first_known = builder.committed_key() - 500;
  builder.AddSegment(AscendingTimes(10'000, 40));
  builder.AddSegment(AscendingTimes(10'013, 200'000));
  const int64_t second_known = builder.committed_key() - 1'000;
  std::set<int64_t> deleted = {100, 101, 102, builder.committed_key()};
  for (int i = 0; i < 300; ++i) deleted.insert(100 + static_cast<int64_t>(random() % 200'000));
  for (const int64_t key : deleted) builder.Delete(key);
  IntervalQuery query = Everything(builder);
  query.committed_key -= 7;
  query.with_labels = true;
  query.horizons = {{{{9'990}, {0}}, first_known}, {{{70'000}, {205'000}}, second_known}};
  Stream expected;
  for (const auto& [time, key] : builder.SortedStream()) {
    const Cut place{{time}, {key}};
    if (key > query.committed_key || deleted.contains(key)) continue;
    if (place < query.horizons[0].before && key > first_known) continue;
    if (place < query.horizons[1].before && key > second_known) continue;
    expected.emplace_back(time, key);
  }
  const auto index = builder.Make();
  ASSERT_TRUE(index->order().is_by_key());
  EXPECT_EQ(ReadAll(index, query), expected);
  Stream slices;
  query.num_workers = 7;
  for (query.worker_index = 0; query.worker_index < 7; ++query.worker_index) {
    for (const auto& sample : ReadAll(index, query)) slices.push_back(sample);
  }
  EXPECT_EQ(slices, expected);
}

TEST(IntervalReader, LongRunsAreViewsOfTheirSegment) {
  IndexBuilder builder;
  builder.AddSegment(AscendingTimes(0, 70'000));
  const auto index = builder.Make();
  IntervalQuery query = Everything(builder);
  query.from = Cut{{5}, {0}};
  query.with_labels = true;
  auto reader = IntervalReader::Create(index, query);
  ASSERT_THAT(reader, IsOk());
  const auto rows = reader->Next(65'536);
  ASSERT_THAT(rows, IsOk());
  ASSERT_EQ((*rows)->num_rows(), 65'536);
  const SegmentColumns& columns = *index->parts().segments[0].columns;
  EXPECT_EQ((*rows)->Find(batch::kEventTimeColumn)->Values<int64_t>().data(),
            columns.event_time.data() + 15);
  const batch::Column& labels = *(*rows)->Find(batch::kClassLabelColumn);
  EXPECT_EQ(labels.Values<int64_t>().data(), columns.class_label->Values<int64_t>().data() + 15);
  for (int64_t row = 0; row < (*rows)->num_rows(); ++row) {
    const int64_t key = (*rows)->keys()[static_cast<size_t>(row)];
    ASSERT_EQ(key, 115 + row);
    ASSERT_EQ(labels.IsValid(row), key % 3 != 0);
  }
}

TEST(EventTimeOrder, IsFoundInSegmentsWhoseFilesDoNotTellIt) {
  // As files were written before they told.
  const auto order_of = [](const std::vector<int64_t>& times) {
    IndexBuilder builder;
    builder.AddSegment(times);
    DatasetIndexParts parts = builder.Make()->parts();
    auto columns = std::make_shared<SegmentColumns>();
    columns->batch = parts.segments[0].columns->batch;
    columns->event_time = parts.segments[0].columns->event_time;
    parts.segments[0].columns = columns;
    return EventTimeOrder(parts.segments).is_by_key();
  };
  std::vector<int64_t> times = AscendingTimes(0, 5'000);
  EXPECT_TRUE(order_of(times));
  std::swap(times[4'000], times[4'020]);
  EXPECT_FALSE(order_of(times));
}

TEST(SegmentColumns, TellWhetherTheirTimesAscend) {
  IndexBuilder builder;
  builder.AddSegment({1, 1, 2});
  builder.AddSegment({2, 1});
  const auto index = builder.Make();
  EXPECT_TRUE(index->parts().segments[0].columns->is_in_order);
  EXPECT_FALSE(index->parts().segments[1].columns->is_in_order);
}

TEST(IntervalReader, AWorkerOutsideItsNumberIsRefused) {
  IndexBuilder builder;
  builder.AddSegment({1});
  IntervalQuery query = Everything(builder);
  query.num_workers = 2;
  query.worker_index = 2;
  EXPECT_THAT(IntervalReader::Create(builder.Make(), query),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("worker 2 of 2")));
}

}  // namespace
}  // namespace tidemill::storage
