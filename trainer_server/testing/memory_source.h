// Batches without storage or a graph.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "loader/batch_source.h"

namespace tidemill::trainer_server::testing {

inline constexpr int64_t kInputWidth = 6;

// Makes batches from memory. Row r has inputs and a target that are functions of its ordinal. It is
// a second implementation of the loop's only source of data.
class MemorySource : public loader::BatchSource {
 public:
  struct Options {
    int64_t samples = 50;
    // The first ordinal. Sources with another one have other samples.
    int64_t first_ordinal = 0;
    int64_t num_classes = 3;
    int64_t batch_size = 8;
    int64_t epochs = 2;
    int64_t first_batch = 0;
    bool weighted = false;
    // The shape of a row's input.
    std::vector<int64_t> shape = {kInputWidth};
    // Called for each ordinal. Returns a number to put into its input, or none for a hole.
    std::function<std::optional<float>(int64_t ordinal)> value = [](int64_t) { return 0.0f; };
  };

  explicit MemorySource(Options options)
      : options_(std::move(options)), next_(options_.first_batch) {}

  int64_t num_samples() const override { return options_.samples; }
  int64_t num_batches() const override {
    return (options_.samples + options_.batch_size - 1) / options_.batch_size;
  }

  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override {
    if (next_ == num_batches() * options_.epochs) return std::optional<loader::TrainingBatch>();
    loader::TrainingBatch batch{.epoch = next_ / num_batches(), .index = next_ % num_batches()};
    ++next_;
    const int64_t from = batch.index * options_.batch_size;
    const int64_t to = std::min(from + options_.batch_size, options_.samples);
    std::vector<int64_t> ordinals;
    for (int64_t i = from; i < to; ++i) {
      const int64_t ordinal = options_.first_ordinal + i;
      if (options_.value(ordinal)) ordinals.push_back(ordinal);
    }
    batch.num_skipped = to - from - static_cast<int64_t>(ordinals.size());
    if (batch.num_skipped > 0) batch.reason = "sample 7: unreadable";
    if (!ordinals.empty()) batch.rows = MakeRows(ordinals);
    return std::optional<loader::TrainingBatch>(std::move(batch));
  }

 private:
  batch::Batch MakeRows(const std::vector<int64_t>& ordinals) const {
    batch::Batch rows(static_cast<int64_t>(ordinals.size()));
    const int64_t width = std::accumulate(options_.shape.begin(), options_.shape.end(), int64_t{1},
                                          std::multiplies<>());
    std::vector<float> input;
    std::vector<int64_t> target;
    std::vector<float> weight;
    for (const int64_t ordinal : ordinals) {
      for (int64_t i = 0; i < width; ++i) {
        const double noise = RandomUnit({.seed = 3, .purpose = "test"}, ordinal * width + i);
        input.push_back(static_cast<float>(noise) + *options_.value(ordinal));
      }
      target.push_back(ordinal % options_.num_classes);
      weight.push_back(static_cast<float>(1 + ordinal % 4));
    }
    EXPECT_TRUE(rows.Set(batch::MakeColumn<int64_t>("key", ordinals)).ok());
    EXPECT_TRUE(rows.Set(batch::MakeColumn<int64_t>("ordinal", ordinals)).ok());
    EXPECT_TRUE(rows.Set(batch::MakeColumn<float>("input", input, options_.shape)).ok());
    EXPECT_TRUE(rows.Set(batch::MakeColumn<int64_t>("target", target)).ok());
    if (options_.weighted) {
      EXPECT_TRUE(rows.Set(batch::MakeColumn<float>("weight", weight)).ok());
    }
    return rows;
  }

  const Options options_;
  int64_t next_;
};

}  // namespace tidemill::trainer_server::testing
