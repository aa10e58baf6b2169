#include "loader/prepared/sample_cache.h"

#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_folder.h"
#include "loader/fit.h"
#include "loader/testing/small_set.h"
#include "loader/testing/stream_bytes.h"
#include "transform/fitter.h"

namespace tidemill::loader {
namespace {

using namespace testing;  // NOLINT: the fixtures of this room.
using ::testing::Gt;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;
using tidemill::testing::TempFolder;

// A store of samples that can change under the reader.
class ChangingSamples {
 public:
  SampleReader reader() {
    return [this](std::span<const int64_t> keys, const SampleSink& sink) -> absl::Status {
      num_read_ += std::ssize(keys);
      return ReadSamples(keys, [&](batch::Batch samples, std::vector<Unreadable> missing) {
        std::vector<std::string> texts;
        std::vector<int64_t> living;
        for (int64_t row = 0; row < samples.num_rows(); ++row) {
          const int64_t key = samples.keys()[static_cast<size_t>(row)];
          if (deleted_.contains(key)) {
            missing.push_back({key, "deleted", true});
            continue;
          }
          living.push_back(row);
          const auto changed = changed_.find(key);
          texts.push_back(changed != changed_.end()
                              ? std::to_string(changed->second) + ",x"
                              : std::string(samples.Find("payload")->Bytes(row)));
        }
        samples = samples.Take(living);
        const std::vector<std::string_view> payloads(texts.begin(), texts.end());
        RETURN_IF_ERROR(samples.Set(batch::MakeBinaryColumn("payload", payloads)));
        return sink(std::move(samples), std::move(missing));
      });
    };
  }
  FindIdentities identify() {
    return [this](std::span<const int64_t> keys) -> absl::StatusOr<std::vector<uint64_t>> {
      std::vector<uint64_t> records;
      for (const int64_t key : keys) {
        const auto changed = changed_.find(key);
        const uint64_t version = changed == changed_.end() ? 0 : changed->second + 1;
        const bool is_gone = key % 13 == 0 || deleted_.contains(key);
        records.push_back(is_gone ? 0 : static_cast<uint64_t>(key) * 100'000 + version + 1);
      }
      return records;
    };
  }

  void Delete(int64_t key) { deleted_.insert(key); }
  void Change(int64_t key, int64_t value) { changed_[key] = value; }
  int64_t num_read() const { return num_read_; }

 private:
  std::set<int64_t> deleted_;
  std::map<int64_t, int64_t> changed_;
  std::atomic<int64_t> num_read_ = 0;
};

std::shared_ptr<const prepared::HostStore> StoreIn(const TempFolder& folder,
                                                   int64_t bytes = 1 << 20) {
  return prepared::HostStore::Open({.disk_folder = folder.path() + "/kept", .disk_bytes = bytes});
}

std::shared_ptr<const transform::FittedState> FitOn(
    const std::shared_ptr<const transform::Graph>& graph, const TrainingSet& set) {
  transform::Fitter fitter(*graph);
  for (int pass = 0; pass < fitter.num_passes(); ++pass) {
    EXPECT_THAT(
        ReadSamples(set.keys, [&](const batch::Batch& samples,
                                  const std::vector<Unreadable>&) { return fitter.Add(samples); }),
        IsOk());
    EXPECT_THAT(fitter.EndPass(), IsOk());
  }
  return std::make_shared<const transform::FittedState>(*fitter.Finish());
}

struct Case {
  const char* graph = kPlainGraph;
  int op = 0;
};

class CachedBatches : public ::testing::TestWithParam<Case> {
 protected:
  CachedBatches() {
    if (graph_->needs_fit()) fitted_ = FitOn(graph_, *set_);
  }

  BatchParts Parts() {
    return {.set = set_, .reader = samples_.reader(), .graph = graph_, .fitted = fitted_};
  }
  BatchParts CachedParts(int64_t bytes = 1 << 20) {
    BatchParts parts = Parts();
    auto cache = SampleCache::Create({.mode = CacheMode::kAfter,
                                      .after_op = GetParam().op,
                                      .store = StoreIn(folder_, bytes),
                                      .graph = graph_,
                                      .fitted = fitted_,
                                      .identify = samples_.identify(),
                                      .num_samples = set_->size()});
    EXPECT_THAT(cache, IsOk());
    if (cache.ok()) parts.cache = *std::move(cache);
    return parts;
  }

  TempFolder folder_;
  ChangingSamples samples_;
  const std::shared_ptr<const TrainingSet> set_ = Shared(MakeSet(400));
  const std::shared_ptr<const transform::Graph> graph_ = MakeGraph(GetParam().graph);
  std::shared_ptr<const transform::FittedState> fitted_;
};

TEST_P(CachedBatches, AreThoseWithoutACacheToTheLastBitWhetherRowsAreFoundOrMade) {
  const auto expected = BytesOf(Parts(), Plan(32, 3));
  for (int round = 0; round < 2; ++round) {
    const BatchParts parts = CachedParts();
    EXPECT_EQ(BytesOf(parts, Plan(32, 3)), expected);
    EXPECT_THAT(parts.cache->report().counts.found, Gt(600));
  }
  // Other batches of the same rows.
  EXPECT_EQ(BytesOf(CachedParts(), Plan(50, 2)), BytesOf(Parts(), Plan(50, 2)));
}

TEST_P(CachedBatches, ReadASampleOnceWhateverTheNumberOfEpochsAndTrainings) {
  BytesOf(CachedParts(), Plan(32, 3));
  // Those that storage lacks are looked for each time.
  const int64_t num_lacking =
      std::ranges::count_if(set_->keys, [](int64_t key) { return key % 13 == 0; });
  const int64_t num_read = samples_.num_read();
  EXPECT_LE(num_read, set_->size() + 2 * num_lacking);
  BytesOf(CachedParts(), Plan(64, 5));
  EXPECT_EQ(samples_.num_read(), num_read + 5 * num_lacking);
}

TEST_P(CachedBatches, NeverHaveADeletedOrAChangedRecordOverRandomEdits) {
  std::mt19937 random(5);
  for (int round = 0; round < 12; ++round) {
    for (int edit = 0; edit < 10; ++edit) {
      const int64_t key = set_->keys[random() % set_->keys.size()];
      if (random() % 3 == 0) {
        samples_.Delete(key);
      } else {
        samples_.Change(key, static_cast<int64_t>(random() % 50'000));
      }
    }
    EXPECT_EQ(BytesOf(CachedParts(), Plan(32, 1)), BytesOf(Parts(), Plan(32, 1)));
  }
}

TEST_P(CachedBatches, AreTheSameWithRoomForSomeRowsOrNone) {
  const auto expected = BytesOf(Parts(), Plan(32, 2));
  for (const int64_t bytes : {0, 500, 5'000}) {
    EXPECT_EQ(BytesOf(CachedParts(bytes), Plan(32, 2)), expected) << bytes;
  }
}

TEST_P(CachedBatches, AreTheSameWhenTheFolderIsRemovedWhileItIsInUse) {
  const auto expected = BytesOf(Parts(), Plan(32, 2));
  const BatchParts parts = CachedParts();
  EXPECT_EQ(BytesOf(parts, Plan(32, 2)), expected);
  ASSERT_THAT(files::Remove(folder_.path() + "/kept"), IsOk());
  for (int round = 0; round < 3; ++round) EXPECT_EQ(BytesOf(parts, Plan(32, 2)), expected);
  EXPECT_FALSE(files::Exists(folder_.path() + "/kept"));
}

INSTANTIATE_TEST_SUITE_P(Graphs, CachedBatches,
                         ::testing::Values(Case{kPlainGraph, 0}, Case{kPlainGraph, 1},
                                           Case{kPlainGraph, 2}, Case{kFittedGraph, 0},
                                           Case{kFittedGraph, 1}, Case{kFittedGraph, 3},
                                           Case{kRandomGraph, 0}, Case{kRandomGraph, 1}));

// Each has its own order, which is the one that it has alone.
TEST(SampleCache, OverlappingSetsAtTheSameTimePrepareTheOverlapOnce) {
  TempFolder folder;
  ChangingSamples samples;
  constexpr int64_t kSize = 1'000;
  // Preparing takes its time, as it does where rows are kept.
  std::string slow = kRandomGraph;
  slow.insert(slow.find("- reshape"), "- delay: {milliseconds: 1, per: sample}\n");
  std::vector<BatchParts> alone;
  for (const int64_t first : {int64_t{0}, kSize * 4 / 10}) {
    TrainingSet set;
    for (int64_t i = first; i < first + kSize; ++i) set.keys.push_back(13 * i + 1);
    alone.push_back({.set = Shared(std::move(set)),
                     .reader = samples.reader(),
                     .graph = MakeGraph(slow.c_str())});
  }
  std::vector<std::vector<std::string>> expected;
  for (const BatchParts& parts : alone) expected.push_back(BytesOf(parts, Plan(16, 3)));
  const int64_t before = samples.num_read();
  std::vector<std::vector<std::string>> found(alone.size());
  {
    std::vector<std::jthread> trainings;
    for (size_t i = 0; i < alone.size(); ++i) {
      trainings.emplace_back([&, i] {
        BatchParts parts = alone[i];
        parts.cache = *SampleCache::Create({.mode = CacheMode::kAfter,
                                            .after_op = 2,
                                            .store = StoreIn(folder),
                                            .graph = parts.graph,
                                            .identify = samples.identify()});
        found[i] = BytesOf(parts, Plan(16, 3));
      });
    }
  }
  EXPECT_EQ(found, expected);
  constexpr int64_t kTogether = kSize * 14 / 10;
  EXPECT_LE(samples.num_read() - before, kTogether + kTogether / 100);
}

TEST(SampleCache, NothingIsKeptAfterARandomOp) {
  TempFolder folder;
  ChangingSamples samples;
  EXPECT_THAT(SampleCache::Create({.mode = CacheMode::kAfter,
                                   .after_op = 2,
                                   .store = StoreIn(folder),
                                   .graph = MakeGraph(kRandomGraph),
                                   .identify = samples.identify()}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("after op 3")));
}

// No user can make a folder below a file.
TEST(SampleCache, WithoutAStoreThatCanBeUsedNothingIsKeptAndTheReportSaysWhy) {
  TempFolder folder;
  std::ofstream(folder.path() + "/file") << "in the way";
  ChangingSamples samples;
  const auto set = Shared(MakeSet(100));
  BatchParts parts{.set = set, .reader = ReadSamples, .graph = MakeGraph()};
  const auto expected = BytesOf(parts, Plan(20, 2));
  const auto report_of = [&](const prepared::HostStoreOptions& options) {
    auto cache = SampleCache::Create({.mode = CacheMode::kAfter,
                                      .after_op = 1,
                                      .store = prepared::HostStore::Open(options),
                                      .graph = parts.graph,
                                      .identify = samples.identify(),
                                      .num_samples = set->size()});
    EXPECT_THAT(cache, IsOk());
    parts.cache = *std::move(cache);
    EXPECT_EQ(BytesOf(parts, Plan(20, 2)), expected);
    const CacheReport report = parts.cache->report();
    EXPECT_TRUE(report.is_decided);
    EXPECT_FALSE(report.point.has_value());
    return report.choice.reason;
  };
  EXPECT_THAT(report_of({.disk_folder = folder.path()}), HasSubstr("`prepared.disk`"));
  EXPECT_THAT(report_of({.disk_folder = folder.path() + "/file/kept", .disk_bytes = 1 << 20}),
              HasSubstr("/file"));
}

TEST(SampleCache, AGraphWithAnotherSettingHasOtherRows) {
  TempFolder folder;
  ChangingSamples samples;
  const auto set = Shared(MakeSet(100));
  const auto bytes_of = [&](const char* text, bool with_cache) {
    BatchParts parts{.set = set, .reader = samples.reader(), .graph = MakeGraph(text)};
    if (with_cache) {
      parts.cache = *SampleCache::Create({.mode = CacheMode::kAfter,
                                          .after_op = 1,
                                          .store = StoreIn(folder),
                                          .graph = parts.graph,
                                          .identify = samples.identify()});
    }
    return BytesOf(parts, Plan(20, 2));
  };
  for (const char* const factor : {"2", "3", "2", "4"}) {
    const std::string text = fmt::format(
        "- parse_csv: {{columns: [a]}}\n- clip: {{columns: [a], max: {}}}\n"
        "- stack: {{columns: all, into: input}}\n- label: {{into: target}}\n",
        factor);
    EXPECT_EQ(bytes_of(text.c_str(), true), bytes_of(text.c_str(), false));
  }
}

// What a job decides whose samples are not expected to be used again, in a folder where the first
// op is known to be expensive.
CacheReport ReportOfLastUse(const TempFolder& folder, ChangingSamples& samples, bool finds_kept) {
  const auto graph = MakeGraph();
  EXPECT_THAT(files::CreateFolder(folder.path() + "/kept"), IsOk());
  EXPECT_THAT(
      files::WriteAtomically(fmt::format("{}/kept/profile-{}", folder.path(), graph->Fingerprint()),
                             "1000 9000000 100 100"),
      IsOk());
  BatchParts parts{.set = Shared(MakeSet(100)), .reader = samples.reader(), .graph = graph};
  parts.cache = *SampleCache::Create({.store = StoreIn(folder),
                                      .graph = graph,
                                      .identify = samples.identify(),
                                      .standardize_target = false,
                                      .num_samples = 100,
                                      .finds_kept = finds_kept});
  BytesOf(parts, Plan(20, 1));
  return parts.cache->report();
}

TEST(SampleCache, UsesWhatWasKeptWhereKeepingMoreDoesNotPay) {
  TempFolder folder;
  ChangingSamples samples;
  EXPECT_FALSE(ReportOfLastUse(folder, samples, true).point) << "nothing was kept";
  BatchParts parts{.set = Shared(MakeSet(50)), .reader = samples.reader(), .graph = MakeGraph()};
  parts.cache = *SampleCache::Create({.mode = CacheMode::kAfter,
                                      .after_op = 1,
                                      .store = StoreIn(folder),
                                      .graph = parts.graph,
                                      .identify = samples.identify(),
                                      .num_samples = 50,
                                      .uses = 3});
  BytesOf(parts, Plan(10, 1));
  EXPECT_FALSE(ReportOfLastUse(folder, samples, false).point);
  const CacheReport report = ReportOfLastUse(folder, samples, true);
  ASSERT_TRUE(report.point);
  EXPECT_EQ(report.point->last_op, 1);
  EXPECT_THAT(report.counts.found, Gt(40));
  EXPECT_EQ(report.counts.kept, 0);
  EXPECT_THAT(report.choice.reason, ::testing::HasSubstr("kept before"));
}

}  // namespace
}  // namespace tidemill::loader
