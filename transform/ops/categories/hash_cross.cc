#include "transform/ops/categories/hash_cross.h"

#include <utility>
#include <vector>

#include "transform/engine/numbers.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/categories/value_hash.h"

namespace tidemill::transform {
namespace {

constexpr uint64_t kFactor = 1'000'003;
// Buckets of the single values: the largest power of two that a step of an export can have.
constexpr int64_t kValueBuckets = int64_t{1} << 62;

class HashCrossOp final : public Op {
 public:
  HashCrossOp(uint64_t buckets, uint64_t seed, std::vector<BoundColumn> inputs, BoundColumn output)
      : buckets_(buckets), seed_(seed), inputs_(std::move(inputs)), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    // The keys grow column by column in the place of the result.
    batch::Column out = NewColumn<int64_t>(output_.schema.name, frame.num_rows(), {});
    const std::span<int64_t> keys = out.data.MutableAs<int64_t>();
    for (const BoundColumn& input : inputs_) Join(frame.Get(input.slot), keys);
    const NumberHash hash(seed_);
    for (int64_t& key : keys) key = buckets_(hash(static_cast<uint64_t>(key)));
    frame.Set(output_.slot, std::move(out));
    return absl::OkStatus();
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    const auto seed = static_cast<int64_t>(seed_);
    for (const BoundColumn& input : inputs_) {
      if (!graph.Has(input)) return absl::OkStatus();
    }
    const StepId factor = graph.Number(batch::DataType::kInt64, static_cast<double>(kFactor));
    StepId key = graph.HashOf(graph.Get(inputs_[0]), kValueBuckets, seed);
    for (size_t i = 1; i < inputs_.size(); ++i) {
      const StepId value = graph.HashOf(graph.Get(inputs_[i]), kValueBuckets, seed);
      key = graph.Apply(StepKind::kAdd, graph.Apply(StepKind::kMultiply, key, factor), value);
    }
    graph.Set(output_, graph.HashOf(key, static_cast<int64_t>(buckets_.size()), seed));
    return absl::OkStatus();
  }

 private:
  // Adds the values of a column to the keys of their rows.
  void Join(const batch::Column& column, std::span<int64_t> keys) const {
    const auto join = [](uint64_t hash, int64_t& key) {
      constexpr auto kMask = static_cast<uint64_t>(kValueBuckets) - 1;
      key = static_cast<int64_t>(static_cast<uint64_t>(key) * kFactor + (hash & kMask));
    };
    if (IsText(column.type)) {
      for (size_t row = 0; row < keys.size(); ++row) {
        join(HashOfText(column.Bytes(static_cast<int64_t>(row)), seed_), keys[row]);
      }
      return;
    }
    const NumberHash hash(seed_);
    VisitNumbers(column, [&](auto numbers) {
      for (size_t row = 0; row < keys.size(); ++row) {
        join(hash(static_cast<uint64_t>(static_cast<int64_t>(numbers[row]))), keys[row]);
      }
    });
  }

  const Buckets buckets_;
  const uint64_t seed_;
  const std::vector<BoundColumn> inputs_;
  const BoundColumn output_;
};

}  // namespace

std::unique_ptr<Op> HashCrossSpec::Build(OpBuilder& builder) const {
  const size_t num_problems = builder.problems().size();
  std::vector<BoundColumn> inputs = builder.Inputs("columns", columns, Accepts::kKeys);
  for (const BoundColumn& input : inputs) {
    if (input.schema.shape.empty()) continue;
    builder.Problem(
        "columns",
        fmt::format("column {} has {} numbers in a row", input.schema.name, input.schema.Width()),
        "hash_cross takes one value in each row");
  }
  if (builder.problems().size() == num_problems && inputs.size() < 2) {
    builder.Problem("columns", "is one column", "name two or more, or use hash_buckets");
  }
  BoundColumn output = builder.Output("into", {.name = into, .type = batch::DataType::kInt64});
  if (inputs.empty()) return nullptr;
  return std::make_unique<HashCrossOp>(buckets, seed, std::move(inputs), std::move(output));
}

}  // namespace tidemill::transform
