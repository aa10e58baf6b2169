#include "transform/ops/categories/hash_buckets.h"

#include <optional>

#include "transform/engine/numbers.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/categories/value_hash.h"

namespace tidemill::transform {
namespace {

class HashBucketsOp final : public Op {
 public:
  HashBucketsOp(uint64_t buckets, uint64_t seed, BoundColumn input, BoundColumn output)
      : buckets_(buckets), seed_(seed), input_(std::move(input)), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    const batch::Column& in = frame.Get(input_.slot);
    batch::Column out =
        NewUnwrittenColumn<int64_t>(output_.schema.name, frame.num_rows(), output_.schema.shape);
    const std::span<int64_t> values = out.data.MutableAs<int64_t>();
    if (in.type == batch::DataType::kBinary) {
      for (int64_t row = 0; row < frame.num_rows(); ++row) {
        values[row] = buckets_(HashOfText(in.Bytes(row), seed_));
      }
    }
    const NumberHash hash(seed_);
    VisitNumbers(in, [&](auto numbers) {
      for (size_t i = 0; i < numbers.size(); ++i) {
        values[i] = buckets_(hash(static_cast<uint64_t>(static_cast<int64_t>(numbers[i]))));
      }
    });
    frame.Set(output_.slot, std::move(out));
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& /*numbers*/) const override {
    return {.obstacle = {}, .made = {{0, static_cast<double>(buckets_.size()), true}}};
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    if (!graph.Has(input_)) return absl::OkStatus();
    graph.Set(output_, graph.HashOf(graph.Get(input_), static_cast<int64_t>(buckets_.size()),
                                    static_cast<int64_t>(seed_)));
    return absl::OkStatus();
  }

 private:
  const Buckets buckets_;
  const uint64_t seed_;
  const BoundColumn input_;
  const BoundColumn output_;
};

}  // namespace

std::unique_ptr<Op> HashBucketsSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (input.has_value() && IsFloat(input->schema.type)) {
    builder.Problem("column",
                    fmt::format("column {} is {}, but it must be text or whole numbers", column,
                                Describe(input->schema.type)),
                    "parse it with dtype: string or int64");
  }
  BoundColumn output = builder.Output(
      "into", {.name = into.empty() ? column : into,
               .type = batch::DataType::kInt64,
               .shape = input.has_value() ? input->schema.shape : std::vector<int64_t>()});
  if (!input.has_value()) return nullptr;
  return std::make_unique<HashBucketsOp>(buckets, seed, *input, std::move(output));
}

}  // namespace tidemill::transform
