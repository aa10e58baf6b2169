// What selections of a run know of one another, and what they tell about themselves.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/failpoints.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "db/migrations.h"
#include "db/testing/postgres.h"
#include "selector/migrations.h"
#include "selector/selector.h"
#include "selector/testing/choosing.h"

namespace tidemill::selector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kFirstKey;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

constexpr int64_t kFirstTime = 1'600'000'000'000'000;
constexpr int64_t kStep = 1'000'000;

int64_t ClassOf(int64_t i) { return i % 10 == 0 ? 2 : i % 2; }

// Sample i happens i seconds after the first one; every seventh has no class.
absl::Status List(const storage::v1::ListSamplesRequest& request,
                  const std::function<absl::Status(batch::Batch)>& sink, int64_t num_samples) {
  constexpr int64_t kChunk = 37;
  const auto index = [](const rpc::v1::Cut& cut) {
    return std::max<int64_t>(0, (cut.event_time() - kFirstTime) / kStep);
  };
  const int64_t from = request.has_from() ? index(request.from()) : 0;
  const int64_t to = request.has_to() ? std::min(index(request.to()), num_samples) : num_samples;
  for (int64_t begin = from; begin < to; begin += kChunk) {
    std::vector<int64_t> times, keys, labels;
    std::string validity((kChunk + 7) / 8, '\0');
    for (int64_t i = begin; i < std::min(begin + kChunk, to); ++i) {
      const auto row = static_cast<size_t>(i - begin);
      times.push_back(kFirstTime + i * kStep);
      keys.push_back(kFirstKey + i);
      labels.push_back(ClassOf(i));
      if (i % 7 != 0) validity[row / 8] = static_cast<char>(validity[row / 8] | 1 << (row % 8));
    }
    batch::Batch batch(std::ssize(keys));
    RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
    RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)));
    batch::Column classes = batch::MakeColumn<int64_t>(batch::kClassLabelColumn, labels);
    validity.resize((keys.size() + 7) / 8);
    classes.validity = batch::Buffer::FromString(validity);
    if (request.with_labels()) RETURN_IF_ERROR(batch.Set(std::move(classes)));
    RETURN_IF_ERROR(sink(std::move(batch)));
  }
  return absl::OkStatus();
}

class SelectionStateTest : public ::testing::Test {
 protected:
  SelectionStateTest() {
    EXPECT_THAT(files::CreateFolder(folder_), IsOk());
    auto database = db::Database::Connect(test_database_.connection_string());
    EXPECT_THAT(database, IsOk());
    database_ = *std::move(database);
    EXPECT_THAT(db::Migrate(*database_, "selector", Migrations()), IsOk());
    Restart();
  }
  ~SelectionStateTest() override { EXPECT_THAT(files::Remove(folder_), IsOk()); }

  // As a selector that comes up again.
  void Restart() {
    const Sources sources{.list_samples = [](const auto& request, const auto& sink) {
      return List(request, sink, 1000);
    }};
    selector_ = std::make_unique<Selector>(*database_, folder_, sources);
    EXPECT_THAT(selector_->RemoveLeftovers(), IsOk());
  }

  // Trigger n takes samples [100 (n - 1), 100 n).
  static v1::SealTrainingSetRequest Request(int64_t trigger, const std::string& selection,
                                            int64_t run = 7) {
    v1::SealTrainingSetRequest request;
    request.mutable_command()->set_run_id(run);
    request.mutable_command()->set_run_epoch(1);
    request.set_trigger(trigger);
    request.mutable_snapshot()->set_dataset_id(3);
    for (int64_t before = 1; before < trigger; ++before) {
      request.add_ends()->set_event_time(kFirstTime + before * 100 * kStep);
    }
    if (trigger > 1) *request.mutable_from() = request.ends(request.ends_size() - 1);
    request.mutable_to()->set_event_time(kFirstTime + trigger * 100 * kStep);
    request.set_selection(selection);
    request.set_seed(42);
    return request;
  }

  v1::TrainingSet Seal(int64_t trigger, const std::string& selection, int64_t run = 7) {
    auto set = selector_->Seal(Request(trigger, selection, run));
    EXPECT_THAT(set, IsOk());
    return set.ok() ? *std::move(set) : v1::TrainingSet();
  }

  // The chosen samples' numbers.
  std::vector<int64_t> RowsOf(int64_t trigger, int64_t run = 7) {
    const auto entries = selector_->Read({run}, trigger);
    EXPECT_THAT(entries, IsOk());
    std::vector<int64_t> rows;
    for (const int64_t key : entries->keys()) rows.push_back(key - kFirstKey);
    return rows;
  }

  std::string ChosenFile(int64_t trigger, int64_t run = 7) const {
    return fmt::format("{}/{}/{}.chosen", folder_, run, trigger);
  }

  const std::string folder_ =
      ::testing::TempDir() + "selection_state_test_" + std::to_string(getpid());
  db::testing::TestDatabase test_database_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<Selector> selector_;
};

constexpr char kRounds[] = "{type: uniform, samples: 90, over: all, reuse: false}";
constexpr char kFreshness[] = "{type: freshness, fresh: 0.5}";

TEST_F(SelectionStateTest, RoundsContinueAfterARestart) {
  std::map<int64_t, int> uses;
  for (int64_t trigger = 1; trigger <= 8; ++trigger) {
    EXPECT_EQ(Seal(trigger, kRounds).num_samples(), 90);
    for (const int64_t row : RowsOf(trigger)) ++uses[row];
    Restart();
  }
  // 720 of 800 without one twice: new ones come first, as long as there are.
  EXPECT_THAT(uses, SizeIs(720));
  for (int64_t trigger = 9; trigger <= 30; ++trigger) Seal(trigger, kRounds);
  std::map<int64_t, int> later;
  for (int64_t trigger = 1; trigger <= 30; ++trigger) {
    for (const int64_t row : RowsOf(trigger)) ++later[row];
  }
  // 30 * 90 entries of 1000 samples.
  EXPECT_THAT(later, SizeIs(1000));
  for (const auto& [row, count] : later) EXPECT_TRUE(count == 2 || count == 3) << row;
}

TEST_F(SelectionStateTest, OnlyTheNewestRecordOfWhatWasChosenIsKept) {
  for (int64_t trigger = 1; trigger <= 3; ++trigger) Seal(trigger, kFreshness);
  EXPECT_FALSE(files::Exists(ChosenFile(1)));
  EXPECT_FALSE(files::Exists(ChosenFile(2)));
  EXPECT_TRUE(files::Exists(ChosenFile(3)));
}

TEST_F(SelectionStateTest, FreshnessMixesWhatTheRunHasChosenAndWhatNot) {
  EXPECT_EQ(Seal(1, kFreshness).num_samples(), 100);
  const v1::TrainingSet second = Seal(2, kFreshness);
  EXPECT_EQ(second.num_samples(), 200);
  EXPECT_EQ(second.summary().num_fresh(), 100);
  EXPECT_EQ(second.summary().num_shared(), 100);
  EXPECT_EQ(second.summary().num_previous(), 100);
}

TEST_F(SelectionStateTest, RunsDoNotShareWhatTheyHaveChosen) {
  for (int64_t trigger = 1; trigger <= 3; ++trigger) Seal(trigger, kRounds, 7);
  for (int64_t trigger = 1; trigger <= 3; ++trigger) Seal(trigger, kRounds, 8);
  for (int64_t trigger = 1; trigger <= 3; ++trigger) {
    EXPECT_EQ(RowsOf(trigger, 7), RowsOf(trigger, 8)) << trigger;
  }
}

TEST_F(SelectionStateTest, SealingAgainAnswersTheFirstSetAndChangesNothing) {
  const v1::TrainingSet first = Seal(1, kRounds);
  const v1::TrainingSet second = Seal(2, kRounds);
  EXPECT_EQ(Seal(2, kRounds).digest(), second.digest());
  EXPECT_EQ(Seal(1, kRounds).digest(), first.digest());
  EXPECT_EQ(Seal(1, kRounds).summary().SerializeAsString(), first.summary().SerializeAsString());
  EXPECT_EQ(Seal(3, kRounds).summary().num_fresh(), 90);
}

TEST_F(SelectionStateTest, ALostRecordIsMadeAgainFromTheSets) {
  for (int64_t trigger = 1; trigger <= 15; ++trigger) Seal(trigger, kRounds, 7);
  for (int64_t trigger = 1; trigger <= 15; ++trigger) {
    Seal(trigger, kRounds, 8);
    EXPECT_THAT(files::Remove(ChosenFile(trigger, 8)), IsOk());
  }
  for (int64_t trigger = 1; trigger <= 15; ++trigger) {
    EXPECT_EQ(RowsOf(trigger, 7), RowsOf(trigger, 8)) << trigger;
  }
}

TEST_F(SelectionStateTest, ARecordThatCannotBeMadeAgainIsDataLossForThoseWhoAsk) {
  Seal(1, kRounds);
  Seal(2, kRounds);
  rpc::v1::Command command;
  command.set_run_id(7);
  command.set_run_epoch(1);
  EXPECT_THAT(selector_->Retire(command, 2), IsOkAndHolds(1));
  EXPECT_THAT(files::WriteAtomically(ChosenFile(2), "damaged"), IsOk());
  EXPECT_THAT(selector_->Seal(Request(3, kRounds)),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("has removed the training set of trigger 1")));
  // A caller that does not ask for it sees less.
  const v1::TrainingSet third = Seal(3, "new_data");
  EXPECT_EQ(third.num_samples(), 100);
  EXPECT_THAT(third.summary().remarks(), ElementsAre(HasSubstr("no longer known")));
}

TEST_F(SelectionStateTest, TheRecordOutlivesTheSetsThatRetentionRemoves) {
  rpc::v1::Command command;
  command.set_run_id(7);
  command.set_run_epoch(1);
  std::set<int64_t> used;
  for (int64_t trigger = 1; trigger <= 9; ++trigger) {
    Seal(trigger, kRounds);
    for (const int64_t row : RowsOf(trigger)) EXPECT_TRUE(used.insert(row).second) << row;
    EXPECT_THAT(selector_->Retire(command, trigger), IsOk());
  }
}

TEST_F(SelectionStateTest, ATailReachesBackAGivenNumberOfTriggers) {
  for (int64_t trigger = 1; trigger <= 3; ++trigger) Seal(trigger, "{type: new_data, tail: 2}");
  EXPECT_EQ(Seal(4, "{type: new_data, tail: 2}").num_samples(), 300);
  EXPECT_EQ(RowsOf(4).front(), 100);
  EXPECT_EQ(RowsOf(3).front(), 0);
  EXPECT_THAT(RowsOf(2), SizeIs(200));
  auto request = Request(5, "{type: new_data, tail: 2}");
  request.clear_ends();
  EXPECT_THAT(selector_->Seal(request),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("where 0 triggers ended")));
}

TEST_F(SelectionStateTest, ALimitIsOfAllCandidatesAtOnce) {
  for (int64_t trigger = 1; trigger <= 3; ++trigger) Seal(trigger, "new_data");
  Seal(4, "{type: all_data, limit: 40, limit_by: uniform}");
  const std::vector<int64_t> rows = RowsOf(4);
  ASSERT_THAT(rows, SizeIs(40));
  EXPECT_LT(rows.front(), 100);
  EXPECT_GT(rows.back(), 300);
  Seal(5, "{type: all_data, limit: 40}");
  EXPECT_EQ(RowsOf(5).front(), 460);
}

// Counts again what a summary says.
void ExpectSummaryOf(const v1::TrainingSet& set, const std::vector<int64_t>& candidates,
                     const std::vector<int64_t>& chosen) {
  const auto count = [](const std::vector<int64_t>& rows, const auto& holds) {
    return std::ranges::count_if(rows, holds);
  };
  int64_t num_candidates = 0;
  int64_t num_chosen = 0;
  for (const auto& entry : set.summary().classes()) {
    const auto is_of = [&](int64_t row) {
      return entry.has_class_label() ? row % 7 != 0 && ClassOf(row) == entry.class_label()
                                     : row % 7 == 0;
    };
    EXPECT_EQ(entry.num_candidates(), count(candidates, is_of)) << entry.ShortDebugString();
    EXPECT_EQ(entry.num_chosen(), count(chosen, is_of)) << entry.ShortDebugString();
    num_candidates += entry.num_candidates();
    num_chosen += entry.num_chosen();
  }
  EXPECT_EQ(num_candidates, std::ssize(candidates));
  EXPECT_EQ(num_chosen, std::ssize(chosen));
  num_candidates = num_chosen = 0;
  for (const auto& entry : set.summary().times()) {
    const auto is_of = [&](int64_t row) {
      const int64_t time = kFirstTime + row * kStep;
      return entry.from() <= time && time < entry.to();
    };
    EXPECT_EQ(entry.num_candidates(), count(candidates, is_of)) << entry.ShortDebugString();
    EXPECT_EQ(entry.num_chosen(), count(chosen, is_of)) << entry.ShortDebugString();
    num_candidates += entry.num_candidates();
    num_chosen += entry.num_chosen();
  }
  EXPECT_EQ(num_candidates, std::ssize(candidates));
  EXPECT_EQ(num_chosen, std::ssize(chosen));
  EXPECT_LE(set.summary().times_size(), 20);
  EXPECT_GE(set.summary().times_size(), 10);
}

std::vector<int64_t> UpTo(int64_t end) {
  std::vector<int64_t> rows(static_cast<size_t>(end));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

TEST_F(SelectionStateTest, ASummaryCountsWhatWasThereAndWhatWasChosen) {
  const std::string policy =
      "{type: balanced, samples: 60, over: all, weights: inverse_probability}";
  std::set<int64_t> ever;
  std::vector<int64_t> before;
  for (int64_t trigger = 1; trigger <= 4; ++trigger) {
    const v1::TrainingSet set = Seal(trigger, policy);
    const std::vector<int64_t> rows = RowsOf(trigger);
    const v1::SelectionSummary& summary = set.summary();
    EXPECT_EQ(summary.policy(), "balanced");
    ExpectSummaryOf(set, UpTo(trigger * 100), rows);
    std::vector<int64_t> shared;
    std::ranges::set_intersection(before, rows, std::back_inserter(shared));
    EXPECT_EQ(summary.num_shared(), std::ssize(shared));
    EXPECT_EQ(summary.num_previous(), std::ssize(before));
    int64_t num_fresh = 0;
    for (const int64_t row : rows) num_fresh += ever.insert(row).second ? 1 : 0;
    EXPECT_EQ(summary.num_fresh(), num_fresh);
    const auto entries = selector_->Read({7}, trigger);
    double sum = 0;
    double squares = 0;
    for (const double weight : entries->Find(batch::kWeightColumn)->Values<float>()) {
      sum += weight;
      squares += weight * weight;
    }
    EXPECT_DOUBLE_EQ(summary.effective_size(), sum * sum / squares);
    EXPECT_LT(summary.effective_size(), 60);
    before = rows;
  }
}

TEST_F(SelectionStateTest, ASummaryOfEverythingNeedsNoSecondLook) {
  const v1::TrainingSet set = Seal(1, "new_data");
  ExpectSummaryOf(set, UpTo(100), UpTo(100));
  EXPECT_EQ(set.summary().effective_size(), 100);
  EXPECT_EQ(set.summary().num_fresh(), 100);
  EXPECT_EQ(set.summary().num_previous(), 0);
}

TEST_F(SelectionStateTest, ListsTheSetsOfARunWithTheirSummaries) {
  EXPECT_THAT(selector_->List({7}), IsOkAndHolds(IsEmpty()));
  Seal(1, "new_data");
  Seal(2, "{type: schedule, steps: [{triggers: 1, use: new_data}, {use: all_data}]}");
  const auto sets = selector_->List({7});
  ASSERT_THAT(sets, IsOkAndHolds(SizeIs(2)));
  EXPECT_EQ((*sets)[0].trigger(), 1);
  EXPECT_EQ((*sets)[1].summary().policy(), "all_data");
  EXPECT_THAT(selector_->List({8}), IsOkAndHolds(IsEmpty()));
}

TEST_F(SelectionStateTest, RoundsAreTheSameAfterBeingKilledAnywhere) {
  constexpr char kSmallRounds[] = "{type: uniform, samples: 90, reuse: false, tail: 1}";
  for (int64_t trigger = 1; trigger <= 4; ++trigger) Seal(trigger, kSmallRounds, 8);
  const std::vector<std::string> failpoints = {"selector.before_seal", "selector.after_seal",
                                               "selector.before_commit", "selector.after_commit"};
  for (int64_t trigger = 1; trigger <= 4; ++trigger) {
    const std::string& failpoint = failpoints[static_cast<size_t>(trigger - 1)];
    const pid_t child = fork();
    if (child == 0) {
      failpoints::Arm(failpoint + "=kill").IgnoreError();
      auto database = db::Database::Connect(test_database_.connection_string());
      const Sources sources{.list_samples = [](const auto& request, const auto& sink) {
        return List(request, sink, 1000);
      }};
      Selector(**database, folder_, sources).Seal(Request(trigger, kSmallRounds)).IgnoreError();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << failpoint << " was not passed";
    Restart();
    Seal(trigger, kSmallRounds);
    EXPECT_EQ(RowsOf(trigger), RowsOf(trigger, 8)) << failpoint;
  }
  const std::string record = files::Read(ChosenFile(4)).value_or("none");
  EXPECT_EQ(record, files::Read(ChosenFile(4, 8)).value_or("nor here"));
}

v1::CompareTrainingSetsRequest Comparing(int64_t first, int64_t second, int64_t second_run = 7) {
  v1::CompareTrainingSetsRequest request;
  request.set_first_run_id(7);
  request.set_first_trigger(first);
  request.set_second_run_id(second_run);
  request.set_second_trigger(second);
  return request;
}

TEST_F(SelectionStateTest, ComparesTwoSetsByClassAndOverTime) {
  Seal(1, "new_data");
  Seal(2, "{type: reservoir, samples: 80}");
  Seal(3, "{type: balanced, samples: 90, over: all, weights: inverse_probability}");
  const std::vector<int64_t> first = RowsOf(2);
  const std::vector<int64_t> second = RowsOf(3);
  const auto comparison = selector_->Compare(Comparing(2, 3));
  ASSERT_THAT(comparison, IsOk());
  const auto expect = [&](const v1::CompareTrainingSetsResponse::Counts& counts,
                          const auto& is_of) {
    int64_t only_first = 0, only_second = 0, both = 0;
    for (int64_t row = 0; row < 1000; ++row) {
      if (!is_of(row)) continue;
      const bool in_first = std::ranges::binary_search(first, row);
      const bool in_second = std::ranges::binary_search(second, row);
      both += in_first && in_second ? 1 : 0;
      only_first += in_first && !in_second ? 1 : 0;
      only_second += in_second && !in_first ? 1 : 0;
    }
    EXPECT_EQ(counts.num_only_first(), only_first);
    EXPECT_EQ(counts.num_only_second(), only_second);
    EXPECT_EQ(counts.num_both(), both);
  };
  expect(comparison->counts(), [](int64_t) { return true; });
  EXPECT_GT(comparison->counts().num_both(), 0);
  ASSERT_THAT(comparison->classes(), SizeIs(4));
  for (const auto& entry : comparison->classes()) {
    expect(entry.counts(), [&](int64_t row) {
      return entry.has_class_label() ? row % 7 != 0 && ClassOf(row) == entry.class_label()
                                     : row % 7 == 0;
    });
  }
  for (const auto& entry : comparison->times()) {
    expect(entry.counts(), [&](int64_t row) {
      const int64_t time = kFirstTime + row * kStep;
      return entry.from() <= time && time < entry.to();
    });
  }
  EXPECT_EQ(comparison->num_forgotten(), 0);
  EXPECT_EQ(comparison->first_weights().least(), 1);
  EXPECT_EQ(comparison->first_weights().effective_size(), 80);
  EXPECT_LT(comparison->second_weights().least(), comparison->second_weights().greatest());
  EXPECT_GT(comparison->mean_weight_difference(), 0);
}

TEST_F(SelectionStateTest, ComparesASetWithItself) {
  Seal(1, "{type: uniform, fraction: 0.3}");
  const auto comparison = selector_->Compare(Comparing(1, 1));
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(comparison->counts().num_both(), 30);
  EXPECT_EQ(comparison->counts().num_only_first(), 0);
  EXPECT_EQ(comparison->mean_weight_difference(), 0);
}

TEST_F(SelectionStateTest, RefusesToCompareWhatIsRemovedOrOfAnotherDataset) {
  Seal(1, "new_data");
  Seal(2, "new_data");
  auto other = Request(1, "new_data", 8);
  other.mutable_snapshot()->set_dataset_id(4);
  EXPECT_THAT(selector_->Seal(other), IsOk());
  EXPECT_THAT(
      selector_->Compare(Comparing(1, 1, 8)),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("of different datasets, 3 and 4")));
  rpc::v1::Command command;
  command.set_run_id(7);
  command.set_run_epoch(1);
  EXPECT_THAT(selector_->Retire(command, 2), IsOk());
  EXPECT_THAT(selector_->Compare(Comparing(1, 2)),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("removed by the run's retention")));
  EXPECT_THAT(selector_->Compare(Comparing(2, 9)),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("")));
}

TEST_F(SelectionStateTest, APolicyThatAsksAModelChoosesAllWhileThereIsNone) {
  const v1::TrainingSet set = Seal(1, "{type: k_center, fraction: 0.1}");
  EXPECT_EQ(set.num_samples(), 100);
  EXPECT_THAT(set.summary().remarks(), ElementsAre(HasSubstr("no model yet")));
  auto request = Request(2, "{type: k_center, fraction: 0.1}");
  request.set_model_id(5);
  EXPECT_THAT(selector_->Seal(request), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                 HasSubstr("has no endpoint of the evaluator")));
}

}  // namespace
}  // namespace tidemill::selector
