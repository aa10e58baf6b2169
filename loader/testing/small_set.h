// A small training set in memory for tests of batches. Some of its samples cannot be read.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "config/config.h"
#include "loader/batches/batch_maker.h"

namespace tidemill::loader::testing {

inline constexpr char kPlainGraph[] =
    "- parse_csv: {columns: [a]}\n- stack: {columns: all, into: input}\n- label: {into: target}\n";
inline constexpr char kFittedGraph[] =
    "- parse_csv: {columns: [a]}\n- standardize: {columns: all}\n"
    "- stack: {columns: all, into: input}\n- label: {into: target}\n";

// Cuts a pixel out of a number with zeros around it, so that the random draw is visible.
inline constexpr char kRandomGraph[] =
    "- parse_csv: {columns: [a]}\n- reshape: {column: a, shape: [1, 1]}\n"
    "- random_crop: {column: a, height: 1, width: 1, padding: 1, into: input}\n"
    "- cast: {columns: [a], dtype: int64}\n"
    "- reshape: {column: a, shape: [1], into: input_whole}\n- label: {into: target}\n";

inline std::shared_ptr<const transform::Graph> MakeGraph(const char* text = kPlainGraph) {
  const auto spec = config::Read<transform::GraphSpec>(text, "graph");
  EXPECT_TRUE(spec.ok()) << spec.status().ToString();
  transform::SampleSchema schema;
  schema.columns = {"a", "b"};
  schema.label = transform::LabelKind::kClass;
  auto graph = transform::Graph::Build(*spec, schema);
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  return std::make_shared<const transform::Graph>(*std::move(graph));
}

// Keys are not a function of the ordinal. The third of every ten occurs twice.
inline TrainingSet MakeSet(int64_t size) {
  TrainingSet set;
  for (int64_t ordinal = 0; ordinal < size; ++ordinal) {
    const int64_t place = ordinal % 10 == 3 ? ordinal - 1 : ordinal;
    set.keys.push_back(1000 + place * 7919 % 10007);
    set.weights.push_back(static_cast<float>(ordinal) + 0.5f);
  }
  return set;
}

// A store of samples. Sample k contains "k,x" and has the label k % 5. Keys divisible by 13 are
// gone. Those divisible by 17 do not contain a number. The sizes of blocks vary.
inline absl::Status ReadSamples(std::span<const int64_t> keys, const SampleSink& sink) {
  size_t at = 0;
  for (size_t size = 1; at < keys.size(); size = size % 37 + 5) {
    std::vector<int64_t> found;
    std::vector<Unreadable> missing;
    for (; at < keys.size() && found.size() < size; ++at) {
      if (keys[at] % 13 == 0) {
        missing.push_back({keys[at], "deleted"});
      } else {
        found.push_back(keys[at]);
      }
    }
    std::vector<std::string> texts;
    std::vector<int64_t> labels;
    for (const int64_t key : found) {
      texts.push_back(key % 17 == 0 ? "none,x" : std::to_string(key) + ",x");
      labels.push_back(key % 5);
    }
    const std::vector<std::string_view> payloads(texts.begin(), texts.end());
    batch::Batch samples(static_cast<int64_t>(found.size()));
    RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>("key", found)));
    RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>("class_label", labels)));
    RETURN_IF_ERROR(samples.Set(batch::MakeBinaryColumn("payload", payloads)));
    RETURN_IF_ERROR(sink(std::move(samples), std::move(missing)));
  }
  return absl::OkStatus();
}

inline std::shared_ptr<const TrainingSet> Shared(TrainingSet set) {
  return std::make_shared<const TrainingSet>(std::move(set));
}

inline std::vector<int64_t> OrdinalsOf(const TrainingBatch& batch) {
  if (batch.rows.num_rows() == 0) return {};
  const auto ordinals = batch.rows.Find("ordinal")->Values<int64_t>();
  return {ordinals.begin(), ordinals.end()};
}

inline BatchPlan Plan(int64_t batch_size, int64_t epochs) {
  return {.batch_size = batch_size,
          .epochs = epochs,
          .shuffle = {.seed = 7, .purpose = "shuffle", .trigger = 3}};
}

}  // namespace tidemill::loader::testing
