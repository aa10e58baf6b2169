#include "selector/policies/embedded/pairwise.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/process/program_folder.h"
#include "base/testing/status_matchers.h"
#include "selector/choosing/chooser.h"
#include "selector/testing/choosing.h"

namespace tidemill::selector {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kFirstKey;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

constexpr int64_t kAxes = 50;

// Embeds sample i near axis i % 50, a little farther off for every fifty; is the less sure the
// greater i % 50 is. It returns NaN for every thirteenth sample.
class AxesModel final : public SampleFacts {
 public:
  explicit AxesModel(int64_t num_classes = 3) : num_classes_(num_classes) {}

  absl::Status ReadColumn(std::span<const int64_t>, const std::string&, const Sink&) override {
    return FailedPrecondition("there are no columns");
  }
  bool has_model() const override { return true; }
  absl::Status ReadModel(std::span<const int64_t> keys, bool, const Sink& sink) override {
    std::vector<float> embeddings;
    std::vector<float> predictions;
    for (const int64_t key : keys) {
      const int64_t i = key - kFirstKey;
      const size_t begin = embeddings.size();
      embeddings.resize(begin + kAxes);
      embeddings[begin + static_cast<size_t>(i % kAxes)] = 2;
      embeddings[begin + static_cast<size_t>((i + 1) % kAxes)] =
          1e-3F * static_cast<float>(i / kAxes);
      const auto sure = static_cast<float>(1 - .01 * static_cast<double>(i % 50) -
                                           1e-5 * static_cast<double>(i / 50));
      predictions.push_back(i % 13 == 12 ? std::nanf("") : sure);
      for (int64_t c = 1; c < num_classes_; ++c) {
        predictions.push_back((1 - sure) / static_cast<float>(num_classes_ - 1));
      }
    }
    batch::Batch rows(std::ssize(keys));
    RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>(
        batch::kKeyColumn, std::vector<int64_t>(keys.begin(), keys.end()))));
    RETURN_IF_ERROR(rows.Set(batch::MakeColumn<float>("embedding", embeddings, {kAxes})));
    RETURN_IF_ERROR(rows.Set(batch::MakeColumn<float>("prediction", predictions, {num_classes_})));
    return sink(rows);
  }

 private:
  int64_t num_classes_;
};

class PairwiseTest : public ::testing::Test {
 protected:
  PairwiseTest() { EXPECT_THAT(files::CreateFolder(folder_), IsOk()); }
  ~PairwiseTest() override { EXPECT_THAT(files::Remove(folder_), IsOk()); }

  absl::Status Run(const Pairwise& spec, int64_t num_samples) {
    return Run(spec, num_samples, {.folder = folder_});
  }
  absl::Status Run(const Pairwise& spec, int64_t num_samples, Workplace place) {
    place.facts = &model_;
    TrainingSetWriter writer(folder_);
    const auto chooser =
        MakeChooser(spec, {.seed = 1, .purpose = "selection", .trigger = 2}, place, writer);
    std::vector<int64_t> keys(static_cast<size_t>(num_samples));
    std::iota(keys.begin(), keys.end(), kFirstKey);
    RETURN_IF_ERROR(chooser->Add({.keys = keys}));
    RETURN_IF_ERROR(chooser->Finish());
    notes_ = chooser->notes();
    ASSIGN_OR_RETURN(const std::string digest, writer.Seal());
    RETURN_IF_ERROR(writer.Publish(folder_ + "/1.batch"));
    ASSIGN_OR_RETURN(const batch::Batch entries, ReadTrainingSet(folder_ + "/1.batch", digest));
    chosen_.clear();
    for (const int64_t key : entries.keys()) chosen_.push_back(key - kFirstKey);
    return absl::OkStatus();
  }

  static Pairwise Spec(int64_t samples, double alpha = .9) {
    Pairwise spec;
    spec.samples = samples;
    spec.alpha = alpha;
    return spec;
  }

  const std::string folder_ = ::testing::TempDir() + "pairwise_test_" + std::to_string(getpid());
  AxesModel model_;
  std::vector<int64_t> chosen_;
  ChoiceNotes notes_;
};

TEST_F(PairwiseTest, ChoosesWhatTheModelIsLeastSureOfWhereOnlyThatCounts) {
  ASSERT_THAT(Run(Spec(20, 1), 500), IsOk());
  ASSERT_THAT(chosen_, SizeIs(20));
  // 49, 99 ...: ten of each remainder of 50, less those of which nothing is known.
  for (const int64_t i : chosen_) EXPECT_GE(i % 50, 47);
  ASSERT_TRUE(notes_.objective.has_value());
  EXPECT_GT(*notes_.objective, 0);
  EXPECT_EQ(notes_.num_left_out, 500 / 13);
  EXPECT_THAT(notes_.remarks, ElementsAre(HasSubstr("bounds included 20 and discarded")));
}

TEST_F(PairwiseTest, ChoosesUnlikeOnesWhereThatCounts) {
  Pairwise spec = Spec(50, .05);
  spec.partitions = 1;
  ASSERT_THAT(Run(spec, 300), IsOk());
  std::set<int64_t> axes;
  for (const int64_t i : chosen_) axes.insert(i % kAxes);
  // A second one of an axis is like the first.
  EXPECT_THAT(chosen_, SizeIs(50));
  EXPECT_THAT(axes, SizeIs(50));
}

TEST_F(PairwiseTest, ChoosesTheSameByThreadsAndByWorkers) {
  Pairwise spec = Spec(300, .7);
  spec.rounds = 3;
  ASSERT_THAT(Run(spec, 3000), IsOk());
  const std::vector<int64_t> expected = chosen_;
  const std::optional<double> objective = notes_.objective;
  EXPECT_THAT(expected, SizeIs(300));
  WorkerPool pool("test", 3);
  ASSERT_THAT(Run(spec, 3000, {.folder = folder_, .pool = &pool}), IsOk());
  EXPECT_EQ(chosen_, expected);
  const std::string program = *process::ProgramFolder() + "/tidemill-select-worker";
  for (const int workers : {1, 7}) {
    ASSERT_THAT(
        Run(spec, 3000, {.folder = folder_, .worker_program = program, .num_workers = workers}),
        IsOk());
    EXPECT_EQ(chosen_, expected);
    EXPECT_EQ(notes_.objective, objective);
  }
  ASSERT_THAT(Run(spec, 3000, {.folder = folder_, .memory_budget = 1}), IsOk());
  EXPECT_EQ(chosen_, expected);
}

TEST_F(PairwiseTest, ChoosesAllThatIsKnownWhenMoreIsAskedFor) {
  ASSERT_THAT(Run(Spec(1000), 26), IsOk());
  EXPECT_THAT(chosen_, SizeIs(24));
  EXPECT_THAT(chosen_, ::testing::Not(Contains(12)));
  ASSERT_THAT(Run(Spec(1), 1), IsOk());
  EXPECT_THAT(chosen_, ElementsAre(0));
  ASSERT_THAT(Run(Spec(5), 0), IsOk());
  EXPECT_THAT(chosen_, IsEmpty());
}

TEST_F(PairwiseTest, SaysThatAModelWithoutClassesMakesAllEquallyUseful) {
  model_ = AxesModel(1);
  ASSERT_THAT(Run(Spec(30), 300), IsOk());
  EXPECT_THAT(chosen_, SizeIs(30));
  EXPECT_THAT(notes_.remarks, Contains(HasSubstr("predicts no classes")));
}

TEST_F(PairwiseTest, SaysWhatToChangeWhenAPartDoesNotFitIntoAWorker) {
  Pairwise spec = Spec(10, .5);
  spec.partitions = 1;
  const std::string program = *process::ProgramFolder() + "/tidemill-select-worker";
  EXPECT_THAT(
      Run(spec, 3000,
          {.folder = folder_, .worker_program = program, .worker_memory = int64_t{8} << 20}),
      StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("partitions")));
}

TEST_F(PairwiseTest, LeavesNothingInItsFolder) {
  ASSERT_THAT(Run(Spec(10), 100), IsOk());
  int64_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().filename(), "1.batch");
    ++files;
  }
  EXPECT_EQ(files, 1);
}

}  // namespace
}  // namespace tidemill::selector
