#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "supervisor/evidence/stored_evidence.h"
#include "supervisor/testing/event_times.h"
#include "supervisor/testing/fake_downstream.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kSecond;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

std::vector<int64_t> From(int64_t first, int64_t count) {
  std::vector<int64_t> keys(static_cast<size_t>(count));
  std::iota(keys.begin(), keys.end(), first);
  return keys;
}

std::vector<int64_t> Choose(const EvidenceRequest& request, const std::vector<int64_t>& keys,
                            size_t chunk) {
  KeyChoice choice(request);
  for (size_t i = 0; i < keys.size(); i += chunk) {
    choice.Take(std::span(keys).subspan(i, std::min(chunk, keys.size() - i)));
  }
  return std::move(choice).Finish();
}

TEST(KeyChoice, KeepsTheNewestInOrder) {
  for (const size_t chunk : {1, 3, 100}) {
    EXPECT_THAT(Choose({.newest = 3}, From(1, 10), chunk), ElementsAre(8, 9, 10));
    EXPECT_THAT(Choose({.newest = 30}, From(1, 4), chunk), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(Choose({}, From(1, 10), chunk), From(1, 10));
  }
}

TEST(KeyChoice, DrawsByKeysHoweverTheyCome) {
  const std::vector<int64_t> drawn = Choose({.most_rows = 50}, From(1, 1000), 1000);
  EXPECT_THAT(drawn, SizeIs(50));
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
  EXPECT_EQ(Choose({.most_rows = 50}, From(1, 1000), 7), drawn);
  EXPECT_EQ(Choose({.most_rows = 50}, From(1, 40), 7), From(1, 40));
  EXPECT_EQ(Choose({.newest = 1000, .most_rows = 50}, From(-500, 1501), 7), drawn);
}

TEST(KeyChoice, DrawsEachKeyAsOftenAsAnother) {
  int64_t low = 0;
  for (const int64_t key : Choose({.most_rows = 2000}, From(1, 20'000), 512)) low += key <= 10'000;
  EXPECT_NEAR(static_cast<double>(low), 1000, 4 * 22);  // Four standard deviations.
}

batch::Batch RowsOf(const std::vector<int64_t>& keys, const std::vector<double>& values,
                    int64_t width) {
  batch::Batch batch(static_cast<int64_t>(keys.size()));
  EXPECT_THAT(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)), IsOk());
  EXPECT_THAT(batch.Set(batch::MakeColumn<double>("x", values, {width})), IsOk());
  return batch;
}

TEST(RowCache, GivesRowsInTheOrderAskedAndCountsThoseThatAreMissing) {
  RowCache cache;
  EXPECT_THAT(cache.Unknown(From(1, 3)), ElementsAre(1, 2, 3));
  ASSERT_THAT(cache.Add(RowsOf({3, 1}, {30, 31, 10, 11}, 2), "x"), IsOk());
  EXPECT_THAT(cache.Unknown(From(1, 3)), ElementsAre(2));
  cache.Settle(From(1, 3));
  EXPECT_THAT(cache.Unknown(From(1, 3)), IsEmpty());
  const EvidenceTable table = cache.Table(From(1, 3));
  EXPECT_EQ(table.num_rows, 2);
  EXPECT_EQ(table.width, 2);
  EXPECT_EQ(table.num_missing, 1);
  EXPECT_THAT(table.values, ElementsAre(10, 11, 30, 31));
  EXPECT_THAT(table.keys, ElementsAre(1, 3));
}

TEST(RowCache, LeavesOutRowsThatAreNotNumbers) {
  RowCache cache;
  ASSERT_THAT(cache.Add(RowsOf({1, 2, 3}, {1, NAN, INFINITY}, 1), "x"), IsOk());
  cache.Settle(From(1, 3));
  EXPECT_THAT(cache.Table(From(1, 3)).values, ElementsAre(1));
  EXPECT_EQ(cache.Table(From(1, 3)).num_missing, 2);
}

// A row that lacks one of its numbers is one for those who can do without.
TEST(RowCache, KeepsWhatARowHasForThoseWhoAskForIt) {
  RowCache cache;
  ASSERT_THAT(cache.Add(RowsOf({1, 2, 3}, {1, 2, NAN, 4, NAN, INFINITY}, 2), "x"), IsOk());
  cache.Settle(From(1, 3));
  const EvidenceTable all = cache.Table(From(1, 3), /*may_lack=*/true);
  EXPECT_EQ(all.num_rows, 2);
  EXPECT_EQ(all.num_missing, 1);
  EXPECT_THAT(all.values, ElementsAre(1, 2, ::testing::IsNan(), 4));
  const EvidenceTable complete = cache.Table(From(1, 3));
  EXPECT_THAT(complete.values, ElementsAre(1, 2));
  EXPECT_EQ(complete.num_missing, 2);
}

TEST(RowCache, PutsTheRowsOfAnotherAfterItsOwn) {
  RowCache labels, predictions;
  ASSERT_THAT(labels.Add(RowsOf({1, 2, 3}, {0, 1, 1}, 1), "x"), IsOk());
  ASSERT_THAT(predictions.Add(RowsOf({4, 3, 2, 1}, {.1, .9, .2, .8, .3, NAN, .4, .6}, 2), "x"),
              IsOk());
  labels.Settle(From(1, 4));
  predictions.Settle(From(1, 4));
  // Sample 2 lacks a prediction, and sample 4 its label.
  const EvidenceTable table = labels.TableBeside(predictions, From(1, 4));
  EXPECT_EQ(table.width, 3);
  EXPECT_EQ(table.num_rows, 2);
  EXPECT_EQ(table.num_missing, 2);
  EXPECT_THAT(table.values, ElementsAre(0, .4, .6, 1, .2, .8));
  EXPECT_THAT(table.keys, ElementsAre(1, 3));
}

TEST(RowCache, KnowsWhenItIsFull) {
  RowCache cache(1000);
  EXPECT_TRUE(cache.HasRoomFor(20));
  EXPECT_FALSE(cache.HasRoomFor(30));
  ASSERT_THAT(cache.Add(RowsOf(From(1, 20), std::vector<double>(20, 1), 1), "x"), IsOk());
  EXPECT_FALSE(cache.HasRoomFor(10));
  cache.Clear();
  EXPECT_THAT(cache.Unknown({{1}}), ElementsAre(1));
}

TEST(RowCache, RefusesRowsOfAnotherWidth) {
  RowCache cache;
  ASSERT_THAT(cache.Add(RowsOf({1}, {1, 2}, 2), "x"), IsOk());
  EXPECT_THAT(
      cache.Add(RowsOf({2}, {1, 2, 3}, 3), "x"),
      StatusIs(absl::StatusCode::kInternal, HasSubstr("3 numbers for each sample, but had 2")));
}

TEST(SampleValues, KeepWhatASampleHasBesideAFieldThatIsNotANumber) {
  const auto spec = config::Read<storage::DatasetSpec>(
      "{path: /data, files: '*.csv', format: {type: csv, columns: [t, x, y]}, event_time: {column: "
      "t}, label: {column: y, kind: real}}",
      "dataset");
  ASSERT_THAT(spec, IsOk());
  const std::vector<std::string_view> records = {"1,2,3", "1,,4", "1,Unavailable,", "1,5,6",
                                                 "torn"};
  const auto read = [&](DatasetId, std::span<const int64_t> keys,
                        const std::function<absl::Status(batch::Batch)>& sink) -> absl::Status {
    batch::Batch samples(std::ssize(keys));
    RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
    RETURN_IF_ERROR(samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, records)));
    return sink(std::move(samples));
  };
  samples::SampleValues values(read, DatasetId{3}, *spec);
  const std::vector<int64_t> keys = {7, 8, 9, 10, 11};
  const std::vector<std::string> columns = {"x", "y"};
  using Lacking = samples::SampleValues::Lacking;
  for (const Lacking lacking : {Lacking::kLeaveOut, Lacking::kKeep}) {
    RowCache rows(1 << 20);
    ASSERT_THAT(values.ReadColumns(
                    keys, columns,
                    [&](const batch::Batch& some) {
                      return rows.Add(some, samples::SampleValues::kValuesColumn);
                    },
                    lacking),
                IsOk());
    rows.Settle(keys);
    const EvidenceTable table = rows.Table(keys, /*may_lack=*/true);
    EXPECT_EQ(table.num_rows, lacking == Lacking::kKeep ? 3 : 2);
    EXPECT_EQ(table.num_missing, lacking == Lacking::kKeep ? 2 : 3);
    if (lacking == Lacking::kLeaveOut) continue;
    EXPECT_EQ(table.values[0], 2);
    EXPECT_TRUE(std::isnan(table.values[2])) << "an empty field";
    EXPECT_EQ(table.values[3], 4);
    EXPECT_EQ(table.values[4], 5);
  }
}

// Thousand samples, one a second from the epoch on, with the keys 1, 2 ...
class StoredEvidenceTest : public ::testing::Test {
 protected:
  StoredEvidenceTest() { services_.num_samples = 1000; }

  std::unique_ptr<StoredEvidence> Open(bool with_model = true, Duration delay = {}) {
    keys_ = std::make_unique<StoredKeys>(*downstream_, delay, [] {
      storage::v1::ListSamplesRequest everything;
      everything.mutable_snapshot()->set_dataset_id(3);
      everything.mutable_snapshot()->set_committed_key(1000);
      return everything;
    });
    std::optional<ActiveModel> model;
    if (with_model) model = {.model_id = 1, .command = {}};
    auto evidence = StoredEvidence::Create(*downstream_, *keys_, DatasetId{3}, kSpec, model);
    EXPECT_THAT(evidence, IsOk());
    return *std::move(evidence);
  }
  static Cut At(int64_t second) { return {{second * kSecond}, {}}; }

  static constexpr char kSpec[] =
      "{path: /data, files: '*.csv', format: {type: csv, columns: [t, x, y]}, event_time: {column: "
      "t}, label: {column: y, classes: [a, b]}}";
  testing::FakeServices services_;
  std::unique_ptr<Downstream> downstream_ = services_.Connect()(std::stop_token());
  std::unique_ptr<EvidenceKeys> keys_;
};

TEST_F(StoredEvidenceTest, ReadsTheErrorsOfTheActiveModel) {
  const auto evidence = Open();
  const auto table = evidence->Read({.kind = EvidenceKind::kErrors, .from = At(10), .to = At(18)});
  ASSERT_THAT(table, IsOk());
  // The keys 11 to 18; (key + model) % 4 == 0 is wrong.
  EXPECT_THAT(table->values, ElementsAre(1, 0, 0, 0, 1, 0, 0, 0));
}

TEST_F(StoredEvidenceTest, ReadsLabels) {
  const auto evidence = Open(/*with_model=*/false);
  const auto table = evidence->Read({.kind = EvidenceKind::kLabels, .to = At(100), .newest = 3});
  ASSERT_THAT(table, IsOk());
  EXPECT_THAT(table->values, ElementsAre(0, 1, 0));  // The keys 98 to 100.
}

TEST_F(StoredEvidenceTest, ReadsTheLabelsBesideThePredictions) {
  const auto evidence = Open();
  const auto read = [&](EvidenceKind kind) {
    return *evidence->Read({.kind = kind, .from = At(10), .to = At(18)});
  };
  const EvidenceTable outcomes = read(EvidenceKind::kOutcomes);
  const EvidenceTable labels = read(EvidenceKind::kLabels);
  const EvidenceTable predictions = read(EvidenceKind::kPredictions);
  ASSERT_EQ(outcomes.num_rows, 8);
  ASSERT_EQ(outcomes.width, 1 + predictions.width);
  for (size_t row = 0; row < 8; ++row) {
    const auto width = static_cast<size_t>(predictions.width);
    EXPECT_EQ(outcomes.values[row * (1 + width)], labels.values[row]);
    for (size_t i = 0; i < width; ++i) {
      EXPECT_EQ(outcomes.values[row * (1 + width) + 1 + i], predictions.values[row * width + i]);
    }
  }
}

TEST_F(StoredEvidenceTest, PlacesSamplesWhereTheirLabelsBecomeKnown) {
  const auto evidence = Open(/*with_model=*/false, Duration{50 * kSecond});
  const auto table = evidence->Read({.kind = EvidenceKind::kLabels, .from = At(50), .to = At(53)});
  ASSERT_THAT(table, IsOk());
  EXPECT_THAT(table->values, ElementsAre(1, 0, 1));  // The keys 1 to 3.
}

TEST_F(StoredEvidenceTest, AsksTheModelOnceForManyDecisions) {
  const auto evidence = Open();
  for (int64_t i = 0; i < 900; i += 10) {
    const auto table =
        evidence->Read({.kind = EvidenceKind::kErrors, .from = At(i), .to = At(i + 10)});
    ASSERT_THAT(table, IsOk());
    ASSERT_EQ(table->num_rows, 10);
    for (int64_t row = 0; row < 10; ++row) {
      ASSERT_EQ(table->values[static_cast<size_t>(row)], (i + row + 2) % 4 == 0 ? 1 : 0);
    }
  }
  EXPECT_LE(services_.Calls("ReadModelColumns"), 3);
}

TEST_F(StoredEvidenceTest, AnswersAnewAfterAnError) {
  const auto evidence = Open();
  const EvidenceRequest request{.kind = EvidenceKind::kErrors, .from = At(0), .to = At(4)};
  services_.FailNext("ReadModelColumns", Unavailable("away"));
  EXPECT_THAT(evidence->Read(request), StatusIs(absl::StatusCode::kUnavailable, "away"));
  const auto table = evidence->Read(request);
  ASSERT_THAT(table, IsOk());
  EXPECT_EQ(table->num_rows, 4);
  EXPECT_EQ(table->num_missing, 0);
}

TEST_F(StoredEvidenceTest, NeedsAModelForWhatModelsSay) {
  const auto evidence = Open(/*with_model=*/false);
  for (const EvidenceKind kind :
       {EvidenceKind::kErrors, EvidenceKind::kPredictions, EvidenceKind::kEmbeddings}) {
    EXPECT_THAT(evidence->Read({.kind = kind, .to = At(4)}),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("there is no model")));
  }
}

TEST_F(StoredEvidenceTest, RefusesColumnsThatAreNotThere) {
  const auto evidence = Open(/*with_model=*/false);
  EXPECT_THAT(evidence->Read({.kind = EvidenceKind::kColumns, .to = At(4), .columns = {"no_such"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no_such")));
}

}  // namespace
}  // namespace tidemill::supervisor
