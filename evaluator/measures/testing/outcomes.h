// Outcomes for tests of measures. scikit-learn 1.9.1 computed the expected values from the same
// vectors.
#pragma once

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"

#include "evaluator/measures/measure.h"
#include "evaluator/measures/ranked/ranks.h"

namespace tidemill::evaluator::testing {

// Matches a measure that has this value.
inline auto Is(double value) { return ::testing::Optional(::testing::DoubleNear(value, 1e-12)); }

// Samples of two classes, with a probability of class 1 each. Or samples of several classes, with
// one probability per class, one sample after another.
class Predicted {
 public:
  Predicted(std::vector<int64_t> truth, const std::vector<float>& of_class_one)
      : truth_(std::move(truth)) {
    AddColumn(of_class_one);
  }

  Predicted(std::vector<int64_t> truth, const std::vector<float>& rows, size_t num_classes)
      : truth_(std::move(truth)) {
    for (size_t label = 0; label < num_classes; ++label) {
      std::vector<float> column;
      for (size_t i = 0; i < truth_.size(); ++i) column.push_back(rows[i * num_classes + label]);
      AddColumn(column);
    }
  }

  // Views of this object.
  Outcomes outcomes() const {
    return {.true_classes = truth_, .ranks = ranks_, .num_ranks = num_ranks_};
  }

 private:
  void AddColumn(const std::vector<float>& scores) {
    for (const int32_t rank : DenseRanks(scores)) {
      ranks_.push_back(rank);
      num_ranks_ = std::max<int64_t>(num_ranks_, rank + 1);
    }
  }

  std::vector<int64_t> truth_;
  std::vector<int32_t> ranks_;
  int64_t num_ranks_ = 0;
};

inline const std::vector<int64_t> kTwoTruth = {0, 1, 1, 0, 1, 0, 0, 1, 1, 0};
inline const std::vector<float> kTwoScores = {.1F, .4F, .35F, .8F, .8F, .35F, .2F, .9F, .1F, .35F};
inline const std::vector<uint8_t> kTwoWeights = {1, 2, 0, 1, 3, 1, 0, 1, 2, 1};

inline const std::vector<int64_t> kThreeTruth = {0, 1, 2, 2, 1, 0, 1, 2};
inline const std::vector<float> kThreeScores = {.7F,  .2F,  .1F, .3F, .4F, .3F, .2F, .2F,
                                                .6F,  .5F,  .2F, .3F, .2F, .5F, .3F, .4F,
                                                .35F, .25F, .5F, .3F, .2F, .1F, .3F, .6F};

}  // namespace tidemill::evaluator::testing
