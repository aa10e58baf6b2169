#include "selector/policies/embedded/embedded_chooser.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "selector/testing/choosing.h"

namespace tidemill::selector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kFirstKey;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

constexpr int64_t kWidth = 3;

// A model that embeds sample i as (i, i / 2, 1), and predicts (i, -i). It knows nothing of every
// seventh sample, and returns NaN for every eleventh.
class SevensModel final : public SampleFacts {
 public:
  explicit SevensModel(bool has_model = true) : has_model_(has_model) {}

  absl::Status ReadColumn(std::span<const int64_t>, const std::string&, const Sink&) override {
    return FailedPrecondition("there are no columns");
  }
  bool has_model() const override { return has_model_; }
  absl::Status ReadModel(std::span<const int64_t> keys, bool with_predictions,
                         const Sink& sink) override {
    constexpr size_t kBlock = 1000;
    for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), kBlock))) {
      RETURN_IF_ERROR(Give(keys.first(std::min(keys.size(), kBlock)), with_predictions, sink));
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status Give(std::span<const int64_t> keys, bool with_predictions, const Sink& sink) {
    std::vector<int64_t> known;
    std::vector<float> embeddings, predictions;
    for (const int64_t key : keys) {
      const int64_t i = key - kFirstKey;
      if (i % 7 == 6) continue;
      known.push_back(key);
      const auto value = static_cast<float>(i);
      const float last = i % 11 == 10 ? std::numeric_limits<float>::quiet_NaN() : 1;
      embeddings.insert(embeddings.end(), {value, value / 2, last});
      predictions.insert(predictions.end(), {value, -value});
    }
    batch::Batch rows(static_cast<int64_t>(known.size()));
    RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, known)));
    RETURN_IF_ERROR(rows.Set(batch::MakeColumn<float>("embedding", embeddings, {kWidth})));
    if (with_predictions) {
      RETURN_IF_ERROR(rows.Set(batch::MakeColumn<float>("prediction", predictions, {2})));
    }
    return sink(rows);
  }

  const bool has_model_;
};

class EmbeddedChooserTest : public ::testing::Test {
 protected:
  EmbeddedChooserTest() { EXPECT_THAT(files::CreateFolder(folder_), IsOk()); }
  ~EmbeddedChooserTest() override { EXPECT_THAT(files::Remove(folder_), IsOk()); }

  // The file that is written when `choose` chooses among `num_samples` samples.
  absl::Status Run(int64_t num_samples, const ChooseRows& choose,
                   int64_t memory_budget = int64_t{64} << 20, const EmbeddedOptions& options = {}) {
    TrainingSetWriter writer(folder_);
    const auto chooser = MakeEmbeddedChooser(
        options, choose, {.seed = 1, .purpose = "test"},
        {.folder = folder_, .memory_budget = memory_budget, .facts = &model_}, writer);
    std::vector<int64_t> keys(static_cast<size_t>(num_samples));
    std::iota(keys.begin(), keys.end(), kFirstKey);
    RETURN_IF_ERROR(chooser->Add({.keys = keys}));
    RETURN_IF_ERROR(chooser->Finish());
    notes_ = chooser->notes();
    ASSIGN_OR_RETURN(const std::string digest, writer.Seal());
    RETURN_IF_ERROR(writer.Publish(folder_ + "/1.batch"));
    ASSIGN_OR_RETURN(entries_, ReadTrainingSet(folder_ + "/1.batch", digest));
    return absl::OkStatus();
  }

  std::vector<int64_t> Chosen() const {
    std::vector<int64_t> chosen;
    for (const int64_t key : entries_.keys()) chosen.push_back(key - kFirstKey);
    return chosen;
  }

  const std::string folder_ =
      ::testing::TempDir() + "embedded_chooser_test_" + std::to_string(getpid());
  SevensModel model_;
  batch::Batch entries_;
  ChoiceNotes notes_;
};

EmbeddedChoice Rows(std::vector<int64_t> rows, std::vector<double> weights = {}) {
  return {.choice = {.rows = std::move(rows), .weights = std::move(weights)}};
}

TEST_F(EmbeddedChooserTest, GivesWhatTheModelSaysAboutTheSamplesItKnows) {
  const auto choose = [](const EmbeddedCandidates& candidates, const RandomKey&,
                         const Workplace&) -> absl::StatusOr<EmbeddedChoice> {
    EXPECT_THAT(candidates.keys, SizeIs(10));  // 12 samples without 6 and 10.
    EXPECT_EQ(candidates.embeddings.num_rows, 10);
    EXPECT_EQ(candidates.embeddings.width, kWidth);
    EXPECT_EQ(candidates.keys[6], kFirstKey + 7);
    EXPECT_THAT(candidates.embeddings.Row(6), ElementsAre(7, 3.5, 1));
    EXPECT_EQ(candidates.predictions.num_rows, 0);
    return Rows({9, 0, 6});
  };
  ASSERT_THAT(Run(12, choose), IsOk());
  EXPECT_THAT(Chosen(), ElementsAre(0, 7, 11));
  EXPECT_EQ(entries_.Find(batch::kWeightColumn), nullptr);
  EXPECT_EQ(notes_.num_left_out, 2);
}

TEST_F(EmbeddedChooserTest, KeepsWeightsWithTheirSamples) {
  const auto choose = [](const EmbeddedCandidates& candidates, const RandomKey&,
                         const Workplace&) -> absl::StatusOr<EmbeddedChoice> {
    EXPECT_THAT(candidates.predictions.Row(2), ElementsAre(2, -2));
    return Rows({4, 1, 2}, {0.5, 1.5, 1});
  };
  ASSERT_THAT(Run(6, choose, int64_t{1} << 20, {.with_predictions = true}), IsOk());
  EXPECT_THAT(Chosen(), ElementsAre(1, 2, 4));
  EXPECT_THAT(entries_.Find(batch::kWeightColumn)->Values<float>(), ElementsAre(1.5, 1, 0.5));
}

TEST_F(EmbeddedChooserTest, GivesTheSameBeyondItsMemory) {
  constexpr int64_t kSamples = 300'000;
  std::vector<double> sums;
  const auto choose = [&](const EmbeddedCandidates& candidates, const RandomKey&,
                          const Workplace&) -> absl::StatusOr<EmbeddedChoice> {
    double sum = 0;
    for (int64_t row = 0; row < candidates.embeddings.num_rows; ++row) {
      for (const float value : candidates.embeddings.Row(row)) sum += value;
      for (const float value : candidates.predictions.Row(row)) sum += value * value;
    }
    sums.push_back(sum);
    return Rows({0, candidates.embeddings.num_rows - 1});
  };
  ASSERT_THAT(Run(kSamples, choose, int64_t{1} << 30, {.with_predictions = true}), IsOk());
  const std::vector<int64_t> in_memory = Chosen();
  ASSERT_THAT(Run(kSamples, choose, 1, {.with_predictions = true}), IsOk());
  EXPECT_EQ(Chosen(), in_memory);
  ASSERT_THAT(sums, SizeIs(2));
  EXPECT_EQ(sums[0], sums[1]);
}

TEST_F(EmbeddedChooserTest, ChoosesAllWithoutAModel) {
  SevensModel none(/*has_model=*/false);
  TrainingSetWriter writer(folder_);
  const auto choose = [](const EmbeddedCandidates&, const RandomKey&,
                         const Workplace&) -> absl::StatusOr<EmbeddedChoice> {
    return Internal("nobody asked");
  };
  const auto chooser = MakeEmbeddedChooser({}, choose, {.seed = 1, .purpose = "test"},
                                           {.folder = folder_, .facts = &none}, writer);
  const std::vector<int64_t> keys = {kFirstKey + 3, kFirstKey + 6};
  ASSERT_THAT(chooser->Add({.keys = keys}), IsOk());
  ASSERT_THAT(chooser->Finish(), IsOk());
  EXPECT_EQ(writer.num_keys(), 2);
  EXPECT_THAT(chooser->notes().remarks, ElementsAre(HasSubstr("no model yet")));
  EXPECT_EQ(chooser->notes().num_left_out, 0);
}

TEST_F(EmbeddedChooserTest, AsksNothingOfNoCandidates) {
  const auto choose = [](const EmbeddedCandidates&, const RandomKey&,
                         const Workplace&) -> absl::StatusOr<EmbeddedChoice> {
    return Internal("nobody asked");
  };
  ASSERT_THAT(Run(0, choose), IsOk());
  EXPECT_THAT(Chosen(), IsEmpty());
}

TEST_F(EmbeddedChooserTest, RefusesARowTwiceAndRowsThatAreNotThere) {
  for (const std::vector<int64_t>& rows :
       {std::vector<int64_t>{1, 1}, std::vector<int64_t>{5}, std::vector<int64_t>{-1}}) {
    const auto choose = [&](const EmbeddedCandidates&, const RandomKey&,
                            const Workplace&) -> absl::StatusOr<EmbeddedChoice> {
      return Rows(rows);
    };
    EXPECT_THAT(Run(5, choose), StatusIs(absl::StatusCode::kInternal, HasSubstr("was chosen")));
  }
}

}  // namespace
}  // namespace tidemill::selector
