// Facts about samples to try selection policies on. All facts about a sample are functions of its
// key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers/random.h"
#include "base/status.h"
#include "batch/batch.h"
#include "selector/choosing/chooser.h"

namespace tidemill::selector::trials {

// Samples of three classes. The embeddings of a class are near one point. Every column has numbers
// from 0 to 1, with a different distribution in each column. One sample in 23 has no facts.
// Thread-compatible.
class InventedFacts final : public SampleFacts {
 public:
  static constexpr int64_t kNumClasses = 3;
  static constexpr int64_t kWidth = 8;

  // `rows_at_once`: the rows of a block.
  explicit InventedFacts(size_t rows_at_once = 4096) : rows_at_once_(rows_at_once) {}

  static bool IsKnown(int64_t key) { return key % 23 != 0; }
  static int64_t LabelOf(int64_t key) { return static_cast<int64_t>(UnitOf("label", key) * 3); }
  static float NumberOf(const std::string& column, int64_t key) {
    const double unit = UnitOf("column " + column, key);
    return static_cast<float>(unit * unit);
  }

  absl::Status ReadColumn(std::span<const int64_t> keys, const std::string& column,
                          const Sink& sink) override {
    return ForEachBlock(keys, [&](std::span<const int64_t> known) -> absl::Status {
      std::vector<float> values;
      for (const int64_t key : known) values.push_back(NumberOf(column, key));
      batch::Batch rows(std::ssize(known));
      RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, known)));
      RETURN_IF_ERROR(rows.Set(batch::MakeColumn<float>("values", values)));
      return sink(rows);
    });
  }

  bool has_model() const override { return true; }

  absl::Status ReadModel(std::span<const int64_t> keys, bool with_predictions,
                         const Sink& sink) override {
    return ForEachBlock(keys, [&](std::span<const int64_t> known) -> absl::Status {
      std::vector<float> embeddings, predictions;
      for (const int64_t key : known) AppendAnswer(key, embeddings, predictions);
      batch::Batch rows(std::ssize(known));
      RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, known)));
      RETURN_IF_ERROR(rows.Set(batch::MakeColumn<float>("embedding", embeddings, {kWidth})));
      if (with_predictions) {
        RETURN_IF_ERROR(
            rows.Set(batch::MakeColumn<float>("prediction", predictions, {kNumClasses})));
      }
      return sink(rows);
    });
  }

 private:
  static double UnitOf(std::string_view purpose, int64_t key, int64_t number = 0) {
    return RandomUnit({.seed = 11, .purpose = purpose, .epoch = number}, key);
  }

  // The model knows most samples, and is unsure of some.
  static void AppendAnswer(int64_t key, std::vector<float>& embeddings,
                           std::vector<float>& predictions) {
    const int64_t label = LabelOf(key);
    for (int64_t i = 0; i < kWidth; ++i) {
      const double place = i % kNumClasses == label ? 3 : 0;
      embeddings.push_back(static_cast<float>(place + UnitOf("embedding", key, i)));
    }
    const double doubt = UnitOf("doubt", key) * 2 / 3;
    for (int64_t i = 0; i < kNumClasses; ++i) {
      predictions.push_back(static_cast<float>(i == label ? 1 - doubt : doubt / 2));
    }
  }

  template <typename Give>
  absl::Status ForEachBlock(std::span<const int64_t> keys, const Give& give) const {
    std::vector<int64_t> known;
    for (const int64_t key : keys) {
      if (IsKnown(key)) known.push_back(key);
    }
    for (std::span<const int64_t> rest = known; !rest.empty();) {
      const auto some = rest.first(std::min(rest.size(), rows_at_once_));
      rest = rest.subspan(some.size());
      RETURN_IF_ERROR(give(some));
    }
    return absl::OkStatus();
  }

  const size_t rows_at_once_;
};

}  // namespace tidemill::selector::trials
