// A training set of texts with log-normal lengths, for tests of batches of similar length.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/numbers/random.h"
#include "batch/wire.h"
#include "loader/testing/small_set.h"

namespace tidemill::loader::testing {

inline constexpr int64_t kTextWidth = 96;

// A word becomes a number above zero; rows end in zeros. `input_number` is the key.
inline constexpr char kTextGraph[] =
    "- parse_csv: {columns: [a]}\n- parse_csv: {columns: [b], dtype: string}\n"
    "- hash_tokens: {column: b, buckets: 1000, length: 96, into: input}\n"
    "- stack: {columns: [a], into: input_number}\n- label: {into: target}\n";

inline int64_t NumWords(int64_t key) {
  const double radius = std::sqrt(-2 * std::log(1 - RandomUnit({.purpose = "radius"}, key)));
  const double angle = 2 * std::numbers::pi * RandomUnit({.purpose = "angle"}, key);
  return std::clamp<int64_t>(std::lround(std::exp(2 + 0.8 * radius * std::cos(angle))) - 1, 0,
                             kTextWidth);
}

// Does the same as ReadSamples() of the small set, but sample k contains "k,w w w ...".
inline absl::Status ReadTexts(std::span<const int64_t> keys, const SampleSink& sink) {
  return ReadSamples(keys, [&](batch::Batch samples, std::vector<Unreadable> missing) {
    std::vector<std::string> texts;
    for (const int64_t key : samples.keys()) {
      texts.push_back(key % 17 == 0 ? "none," : std::to_string(key) + ",");
      for (int64_t word = 0; word < NumWords(key); ++word) {
        texts.back() += (word == 0 ? "w" : " w") + std::to_string(key % 100 + word);
      }
    }
    const std::vector<std::string_view> payloads(texts.begin(), texts.end());
    RETURN_IF_ERROR(samples.Set(batch::MakeBinaryColumn("payload", payloads)));
    return sink(std::move(samples), std::move(missing));
  });
}

inline BatchPlan BucketedPlan(int64_t batch_size, int64_t epochs, int64_t window) {
  BatchPlan plan = Plan(batch_size, epochs);
  plan.buckets = models::Buckets{.window = window};
  return plan;
}

inline std::unique_ptr<const BatchMaker> TextMaker(const TrainingSet& set, const BatchPlan& plan,
                                                   std::shared_ptr<WindowCache> windows = nullptr,
                                                   SampleReader reader = ReadTexts) {
  auto maker = BatchMaker::Create({.set = Shared(set),
                                   .reader = std::move(reader),
                                   .graph = MakeGraph(kTextGraph),
                                   .windows = std::move(windows)},
                                  plan);
  EXPECT_TRUE(maker.ok()) << maker.status().ToString();
  return *std::move(maker);
}

inline std::vector<TrainingBatch> MakeBatches(const BatchMaker& maker, int64_t from, int64_t to) {
  auto made = maker.Make(from, to, {});
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return made.ok() ? *std::move(made) : std::vector<TrainingBatch>();
}

// Returns equal bytes for equal batches, bit by bit.
inline std::string BytesOfBatch(const TrainingBatch& batch) {
  return std::to_string(batch.epoch) + " " + std::to_string(batch.index) + " " +
         std::to_string(batch.num_skipped) + " " + batch.reason + batch::Encode(batch.rows);
}

}  // namespace tidemill::loader::testing
