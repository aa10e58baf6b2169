// The policies that choose by embeddings alone.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "selector/choosing/chooser.h"
#include "selector/testing/choosing.h"

namespace tidemill::selector {
namespace {

using testing::Chosen;
using testing::Circumstances;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kFirstKey;
using ::testing::Not;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A model that gives sample i the i-th of given embeddings.
class GivenEmbeddings final : public SampleFacts {
 public:
  GivenEmbeddings(std::vector<float> values, int64_t width)
      : values_(std::move(values)), width_(width) {}

  int64_t num_samples() const { return std::ssize(values_) / width_; }
  absl::Status ReadColumn(std::span<const int64_t>, const std::string&, const Sink&) override {
    return FailedPrecondition("there are no columns");
  }
  bool has_model() const override { return true; }
  absl::Status ReadModel(std::span<const int64_t> keys, bool, const Sink& sink) override {
    std::vector<float> embeddings;
    for (const int64_t key : keys) {
      const auto from = values_.begin() + (key - kFirstKey) * width_;
      embeddings.insert(embeddings.end(), from, from + width_);
    }
    batch::Batch rows(std::ssize(keys));
    RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
    RETURN_IF_ERROR(rows.Set(batch::MakeColumn<float>("embedding", embeddings, {width_})));
    return sink(rows);
  }

 private:
  const std::vector<float> values_;
  const int64_t width_;
};

Chosen ChooseFrom(const std::string& yaml, GivenEmbeddings& model, const Circumstances& how = {}) {
  const auto spec = config::Read<SelectionSpec>(yaml, "selection");
  EXPECT_THAT(spec, IsOk());
  const std::string folder =
      ::testing::TempDir() + "embedding_policies_test_" + std::to_string(getpid());
  EXPECT_THAT(files::CreateFolder(folder), IsOk());
  WorkerPool pool("selection", std::max(1, how.num_threads - 1));
  TrainingSetWriter writer(folder);
  const auto chooser = ChooserFor(*spec, {.seed = 7, .purpose = "selection", .trigger = 3},
                                  {.folder = folder,
                                   .memory_budget = how.memory_budget,
                                   .pool = how.num_threads > 1 ? &pool : nullptr,
                                   .facts = &model},
                                  writer);
  std::vector<int64_t> keys(static_cast<size_t>(model.num_samples()));
  std::iota(keys.begin(), keys.end(), kFirstKey);
  for (std::span<const int64_t> left = keys; !left.empty();) {
    const auto piece = left.first(std::min(left.size(), how.piece));
    EXPECT_THAT(chooser->Add({.keys = piece, .event_times = piece}), IsOk());
    left = left.subspan(piece.size());
  }
  EXPECT_THAT(chooser->Finish(), IsOk());
  Chosen chosen;
  chosen.notes = chooser->notes();
  const auto digest = writer.Seal();
  EXPECT_THAT(digest, IsOk());
  EXPECT_THAT(writer.Publish(folder + "/1.batch"), IsOk());
  const auto entries = ReadTrainingSet(folder + "/1.batch", *digest);
  EXPECT_THAT(entries, IsOk());
  for (const int64_t key : entries->keys()) chosen.rows.push_back(key - kFirstKey);
  if (const batch::Column* const weights = entries->Find(batch::kWeightColumn)) {
    chosen.weights.assign(weights->Values<float>().begin(), weights->Values<float>().end());
  }
  EXPECT_THAT(files::Remove(folder), IsOk());
  return chosen;
}

// Points around centers at (100 c, 0 ...).
std::vector<float> Groups(int64_t count, int64_t num_groups, int64_t width) {
  const RandomKey key{.seed = 1, .purpose = "groups"};
  std::vector<float> values;
  for (int64_t row = 0; row < count; ++row) {
    for (int64_t d = 0; d < width; ++d) {
      const double noise = RandomUnit(key, row * width + d);
      const auto center = static_cast<double>(d == 0 ? 100 * (row % num_groups) : 0);
      values.push_back(static_cast<float>(center + noise));
    }
  }
  return values;
}

// How many different groups the chosen rows belong to.
size_t NumGroups(const std::vector<int64_t>& rows, int64_t num_groups) {
  std::set<int64_t> groups;
  for (const int64_t row : rows) groups.insert(row % num_groups);
  return groups.size();
}

const char* const kAllPolicies[] = {
    "{type: k_center, samples: 12, weights: inverse_probability}",
    "{type: k_center, samples: 12, partitions: 5}",
    "{type: facility_location, samples: 12, weights: inverse_probability}",
    "{type: facility_location, samples: 12, greedy: stochastic}",
    "{type: k_medoids, samples: 12, weights: inverse_probability}",
    "{type: deduplicated, epsilon: 0.0001, clusters: 7}",
};

TEST(EmbeddingPolicies, DoNotDependOnThreadsOrPieces) {
  GivenEmbeddings model(Groups(900, 12, 5), 5);
  for (const char* const policy : kAllPolicies) {
    const Chosen expected = ChooseFrom(policy, model);
    EXPECT_THAT(expected.rows, Not(IsEmpty()));
    for (const Circumstances& how : {Circumstances{.piece = 77}, Circumstances{.num_threads = 4},
                                     Circumstances{.piece = 450, .num_threads = 4}}) {
      const Chosen chosen = ChooseFrom(policy, model, how);
      EXPECT_EQ(chosen.rows, expected.rows) << policy;
      EXPECT_EQ(chosen.weights, expected.weights) << policy;
    }
  }
}

TEST(EmbeddingPolicies, DoNotDependOnThreadsInParts) {
  GivenEmbeddings model(Groups(2000, 12, 5), 5);
  for (const char* const policy : kAllPolicies) {
    const Chosen expected = ChooseFrom(policy, model, {.memory_budget = 10'000});
    const Chosen chosen =
        ChooseFrom(policy, model, {.piece = 300, .memory_budget = 10'000, .num_threads = 4});
    EXPECT_EQ(chosen.rows, expected.rows) << policy;
    EXPECT_EQ(chosen.weights, expected.weights) << policy;
  }
}

TEST(EmbeddingPolicies, LeaveOutWhatHasNoUsableEmbedding) {
  std::vector<float> values = Groups(100, 12, 2);
  values[2 * 5] = kNan;
  values[2 * 6 + 1] = std::numeric_limits<float>::infinity();
  values[2 * 7] = 1e30F;  // Its distances are not floats.
  GivenEmbeddings model(values, 2);
  for (const char* const policy : kAllPolicies) {
    const Chosen chosen = ChooseFrom(policy, model);
    EXPECT_GE(chosen.notes.num_left_out, 2) << policy;
    EXPECT_THAT(chosen.rows, Not(Contains(5)));
    EXPECT_THAT(chosen.rows, Not(Contains(6)));
  }
  for (const char* const type : {"k_center", "facility_location", "k_medoids"}) {
    const std::string policy = std::string("{type: ") + type + ", fraction: 1}";
    const Chosen chosen = ChooseFrom(policy, model);
    EXPECT_THAT(chosen.rows, SizeIs(97));
    EXPECT_THAT(chosen.rows, Not(Contains(7)));
    EXPECT_EQ(chosen.notes.num_left_out, 3);
  }
}

TEST(EmbeddingPolicies, ChooseNothingOfNothingAndTheOneOfOne) {
  GivenEmbeddings none({}, 3);
  GivenEmbeddings one({1, 2, 3}, 3);
  GivenEmbeddings bad({kNan, 2, 3}, 3);
  for (const char* const policy : kAllPolicies) {
    EXPECT_THAT(ChooseFrom(policy, none).rows, IsEmpty());
    EXPECT_THAT(ChooseFrom(policy, one).rows, ElementsAre(0));
    EXPECT_THAT(ChooseFrom(policy, one).weights, Each(1));
    EXPECT_THAT(ChooseFrom(policy, bad).rows, IsEmpty());
    EXPECT_EQ(ChooseFrom(policy, bad).notes.num_left_out, 1);
  }
}

TEST(EmbeddingPolicies, ChooseAllWithEqualWeightsWhenKIsTooLarge) {
  GivenEmbeddings model(Groups(11, 3, 2), 2);
  for (const char* const policy : kAllPolicies) {
    if (std::string(policy).find("deduplicated") != std::string::npos) continue;
    for (const int64_t budget : {int64_t{1}, int64_t{64} << 20}) {
      const Chosen chosen = ChooseFrom(policy, model, {.memory_budget = budget});
      EXPECT_THAT(chosen.rows, SizeIs(11)) << policy;
      EXPECT_THAT(chosen.weights, Each(1));
    }
  }
}

TEST(EmbeddingPolicies, ChooseDistinctSamplesAmongDuplicates) {
  GivenEmbeddings model(std::vector<float>(200, 0.5F), 2);
  for (const char* const policy : kAllPolicies) {
    for (const int64_t budget : {int64_t{1}, int64_t{64} << 20}) {
      const Chosen chosen = ChooseFrom(policy, model, {.memory_budget = budget});
      if (std::string(policy).find("deduplicated") != std::string::npos) {
        // One of each of the clusters, into which equal embeddings fall at will.
        EXPECT_LE(chosen.rows.size(), 7);
        continue;
      }
      EXPECT_THAT(chosen.rows, SizeIs(12)) << policy;
      for (const float weight : chosen.weights) EXPECT_GT(weight, 0);
      if (!chosen.weights.empty()) {
        EXPECT_NEAR(std::accumulate(chosen.weights.begin(), chosen.weights.end(), 0.0), 12, 1e-4);
      }
    }
  }
}

TEST(KCenterPolicy, TakesTheFarthestAgainAndAgain) {
  GivenEmbeddings model({0, 1, 2, 10, 11, 20}, 1);
  const Chosen chosen =
      ChooseFrom("{type: k_center, samples: 3, weights: inverse_probability}", model);
  EXPECT_THAT(chosen.rows, ElementsAre(0, 3, 5));  // 3 is nearest to the mean, then 0, then 5.
  EXPECT_THAT(chosen.weights, ElementsAre(1.5, 1, 0.5));
  EXPECT_THAT(chosen.notes.remarks, ElementsAre(HasSubstr("within 2 of")));
}

TEST(KCenterPolicy, FindsEveryGroupAlsoInParts) {
  GivenEmbeddings model(Groups(3000, 12, 4), 4);
  EXPECT_EQ(NumGroups(ChooseFrom("{type: k_center, samples: 12}", model).rows, 12), 12);
  const Chosen asked = ChooseFrom("{type: k_center, samples: 12, partitions: 6}", model);
  EXPECT_EQ(NumGroups(asked.rows, 12), 12);
  EXPECT_THAT(asked.notes.remarks,
              ElementsAre(HasSubstr("chose 72 of 3000 candidates in 6 parts")));
  // 48,000 bytes of embeddings; twice, since 120 of the first round are still too many.
  const Chosen forced = ChooseFrom("{type: k_center, samples: 12, weights: inverse_probability}",
                                   model, {.memory_budget = 3000});
  EXPECT_EQ(NumGroups(forced.rows, 12), 12);
  EXPECT_THAT(forced.notes.remarks, SizeIs(::testing::Ge(2)));
  EXPECT_THAT(forced.weights, Each(FloatNear(1, 1e-6F)));  // The groups are of the same size.
}

TEST(FacilityLocationPolicy, ChoosesAsTheReference) {
  GivenEmbeddings model({0, 0, 1, 0, 0, 1, 5, 5, 6, 5, 5, 7}, 2);
  for (const char* const greedy : {"lazy", "naive"}) {
    const Chosen chosen = ChooseFrom(
        std::string(
            "{type: facility_location, samples: 3, weights: inverse_probability, greedy: ") +
            greedy + "}",
        model);
    EXPECT_THAT(chosen.rows, ElementsAre(0, 3, 5));
    EXPECT_THAT(chosen.weights, ElementsAre(1.5, 1, 0.5));
    EXPECT_NEAR(*chosen.notes.objective, 48.61995160225576, 1e-4);
  }
}

TEST(FacilityLocationPolicy, FindsEveryGroupAlsoInParts) {
  GivenEmbeddings model(Groups(1500, 6, 4), 4);
  const Chosen whole = ChooseFrom("{type: facility_location, samples: 6}", model);
  EXPECT_EQ(NumGroups(whole.rows, 6), 6);
  EXPECT_THAT(whole.notes.remarks, IsEmpty());
  // Parts of at most 156 candidates.
  const Chosen parts =
      ChooseFrom("{type: facility_location, samples: 6, weights: inverse_probability}", model,
                 {.memory_budget = 200'000});
  EXPECT_EQ(NumGroups(parts.rows, 6), 6);
  EXPECT_THAT(parts.notes.remarks, Not(IsEmpty()));
  EXPECT_FALSE(parts.notes.objective.has_value());
  EXPECT_THAT(parts.weights, Each(FloatNear(1, 1e-6F)));
}

TEST(FacilityLocationPolicy, ChoosesAsManyAsAskedHoweverSmallThePartsAre) {
  GivenEmbeddings model(Groups(1000, 9, 3), 3);
  for (const int64_t samples : {1, 15, 16, 17, 100, 333, 999}) {
    for (const int64_t budget : {1, 20'000, 100'000}) {
      const Chosen chosen =
          ChooseFrom("{type: facility_location, samples: " + std::to_string(samples) + "}", model,
                     {.memory_budget = budget});
      EXPECT_THAT(chosen.rows, SizeIs(samples)) << budget;
    }
  }
}

TEST(KMedoidsPolicy, TakesTheMiddlesOfClusters) {
  GivenEmbeddings model({0, 1, 2, 10, 11, 12, 13, 14, 50}, 1);
  const Chosen chosen =
      ChooseFrom("{type: k_medoids, samples: 3, weights: inverse_probability}", model);
  EXPECT_THAT(chosen.rows, ElementsAre(1, 5, 8));
  EXPECT_THAT(chosen.weights,
              ElementsAre(1, FloatNear(5.0F / 3, 1e-6F), FloatNear(1.0F / 3, 1e-6F)));
  EXPECT_THAT(ChooseFrom("{type: k_medoids, samples: 3}", model).weights, IsEmpty());
}

TEST(DeduplicatedPolicy, KeepsOneOfAlikeSamples) {
  GivenEmbeddings model({1, 0, 0.99F, 0.14107F, 0, 1, 0.6F, 0.8F}, 2);
  EXPECT_THAT(
      ChooseFrom("{type: deduplicated, clusters: 1, keep: first, epsilon: 0.05}", model).rows,
      ElementsAre(0, 2, 3));
  EXPECT_THAT(
      ChooseFrom("{type: deduplicated, clusters: 1, keep: first, epsilon: 0.3}", model).rows,
      ElementsAre(0, 2));
}

TEST(DeduplicatedPolicy, KeepsTheHardOrTheEasyOne) {
  GivenEmbeddings model({1, 0, 0.999F, 0.0447F, 0.99F, 0.141F}, 2);
  EXPECT_THAT(ChooseFrom("{type: deduplicated, clusters: 1}", model).rows, ElementsAre(2));
  EXPECT_THAT(ChooseFrom("{type: deduplicated, clusters: 1, keep: easy}", model).rows,
              ElementsAre(1));
}

TEST(DeduplicatedPolicy, IsTheSameBeyondItsMemory) {
  GivenEmbeddings model(Groups(5000, 40, 6), 6);
  const Chosen in_memory = ChooseFrom("{type: deduplicated, epsilon: 0.0001}", model);
  EXPECT_LT(in_memory.rows.size(), 4500);
  const Chosen mapped =
      ChooseFrom("{type: deduplicated, epsilon: 0.0001}", model, {.memory_budget = 1000});
  EXPECT_EQ(mapped.rows, in_memory.rows);
}

}  // namespace
}  // namespace tidemill::selector
