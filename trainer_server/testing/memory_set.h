// A training set with its samples in memory. It is read and transformed like a real one.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "config/config.h"
#include "loader/batches/batch_stream.h"
#include "transform/graph.h"

namespace tidemill::trainer_server::testing {

// The sample with ordinal o has the key 1000 + o, three inputs that are functions of its key, and a
// class.
class MemorySet {
 public:
  struct Options {
    int64_t size = 100;
    // The class of an ordinal. A class below zero makes a sample that cannot be read.
    std::function<int64_t(int64_t ordinal)> class_of = [](int64_t ordinal) { return ordinal % 3; };
    // The samples whose inputs are not numbers.
    std::function<bool(int64_t ordinal)> is_broken = [](int64_t) { return false; };
    std::vector<float> weights = {};
    int64_t decoded_budget = 0;
  };

  explicit MemorySet(Options options)
      : options_(std::move(options)), graph_(MakeGraph()), set_(MakeSet(options_)) {
    if (options_.decoded_budget > 0) {
      kept_ = std::make_shared<loader::DecodedSamples>(options_.size, options_.decoded_budget);
    }
  }

  std::shared_ptr<const loader::TrainingSet> set() const { return set_; }
  // How often any sample was read.
  int64_t num_read() const { return num_read_; }

  absl::StatusOr<std::unique_ptr<loader::BatchSource>> Open(const loader::BatchPlan& plan) {
    const auto read = [this](std::span<const int64_t> keys, const loader::SampleSink& sink) {
      return Read(keys, sink);
    };
    // A graph makes no such numbers, so they are put in afterwards.
    const auto break_some = [this](batch::Batch& rows) { return Break(rows); };
    return loader::BatchStream::Create(
        {.set = set_, .reader = read, .graph = graph_, .kept = kept_}, plan,
        {.num_threads = 1, .settle = break_some});
  }

 private:
  static std::shared_ptr<const transform::Graph> MakeGraph() {
    const auto spec = config::Read<transform::GraphSpec>(
        "- parse_csv: {columns: [a, b, c]}\n- stack: {columns: all, into: input}\n"
        "- label: {into: target}\n",
        "graph");
    EXPECT_TRUE(spec.ok()) << spec.status().ToString();
    transform::SampleSchema schema;
    schema.columns = {"a", "b", "c"};
    schema.label = transform::LabelKind::kClass;
    auto graph = transform::Graph::Build(*spec, schema);
    EXPECT_TRUE(graph.ok()) << graph.status().ToString();
    return std::make_shared<const transform::Graph>(*std::move(graph));
  }

  static std::shared_ptr<const loader::TrainingSet> MakeSet(const Options& options) {
    loader::TrainingSet set{.weights = options.weights};
    for (int64_t ordinal = 0; ordinal < options.size; ++ordinal) set.keys.push_back(1000 + ordinal);
    return std::make_shared<const loader::TrainingSet>(std::move(set));
  }

  absl::Status Break(batch::Batch& rows) const {
    const batch::Column& column = *rows.Find("input");
    const std::span<const float> before = column.Values<float>();
    std::vector<float> values(before.begin(), before.end());
    const std::span<const int64_t> ordinals = rows.Find("ordinal")->Values<int64_t>();
    for (size_t row = 0; row < ordinals.size(); ++row) {
      if (!options_.is_broken(ordinals[row])) continue;
      values[3 * row] = std::numeric_limits<float>::quiet_NaN();
    }
    return rows.Set(batch::MakeColumn<float>("input", values, column.shape));
  }

  absl::Status Read(std::span<const int64_t> keys, const loader::SampleSink& sink) {
    std::vector<int64_t> found;
    std::vector<loader::Unreadable> missing;
    std::vector<int64_t> labels;
    std::vector<std::string> texts;
    for (const int64_t key : keys) {
      const int64_t ordinal = key - 1000;
      const int64_t label = options_.class_of(ordinal);
      if (label < 0) {
        missing.push_back({key, "deleted"});
        continue;
      }
      found.push_back(key);
      labels.push_back(label);
      std::string text;
      for (int64_t i = 0; i < 3; ++i) {
        const double number = RandomUnit({.seed = 3, .purpose = "test"}, key * 3 + i) - 0.5;
        text += fmt::format("{}{}", i == 0 ? "" : ",", number);
      }
      texts.push_back(std::move(text));
    }
    num_read_ += std::ssize(found);
    const std::vector<std::string_view> payloads(texts.begin(), texts.end());
    batch::Batch samples(std::ssize(found));
    RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>("key", found)));
    RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>("class_label", labels)));
    RETURN_IF_ERROR(samples.Set(batch::MakeBinaryColumn("payload", payloads)));
    return sink(std::move(samples), std::move(missing));
  }

  const Options options_;
  const std::shared_ptr<const transform::Graph> graph_;   // The streams share it.
  const std::shared_ptr<const loader::TrainingSet> set_;  // The streams share it.
  std::shared_ptr<loader::DecodedSamples> kept_;          // The streams share it.
  int64_t num_read_ = 0;  // Used by one stream of one thread at a time.
};

}  // namespace tidemill::trainer_server::testing
