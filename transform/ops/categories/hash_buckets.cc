#include "transform/ops/categories/hash_buckets.h"

#include <optional>
#include <type_traits>

#include "base/numbers/each_processor.h"
#include "transform/engine/block_op.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/categories/value_hash.h"

namespace tidemill::transform {
namespace {

template <typename T>
inline __attribute__((always_inline)) void HashEach(const T* __restrict numbers, int64_t count,
                                                    NumberHash hash, uint64_t mask,
                                                    int64_t* __restrict out) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<int64_t>(hash(static_cast<uint64_t>(int64_t{numbers[i]})) & mask);
  }
}

// The hash of each number, cut to the bits of `mask`, into other memory.
TIDEMILL_FOR_EACH_PROCESSOR
void HashNumbers(const int32_t* numbers, int64_t count, NumberHash hash, uint64_t mask,
                 int64_t* out) {
  HashEach(numbers, count, hash, mask, out);
}

TIDEMILL_FOR_EACH_PROCESSOR
void HashNumbers(const int64_t* numbers, int64_t count, NumberHash hash, uint64_t mask,
                 int64_t* out) {
  HashEach(numbers, count, hash, mask, out);
}

OpEffect EffectOf(const Buckets& buckets) {
  return {.obstacle = {}, .made = {{0, static_cast<double>(buckets.size()), true}}};
}

absl::Status WriteHash(const Buckets& buckets, uint64_t seed, const BoundColumn& input,
                       const BoundColumn& output, PortableGraph& graph) {
  if (!graph.Has(input)) return absl::OkStatus();
  graph.Set(output, graph.HashOf(graph.Get(input), static_cast<int64_t>(buckets.size()),
                                 static_cast<int64_t>(seed)));
  return absl::OkStatus();
}

class TextBucketsOp final : public Op {
 public:
  TextBucketsOp(uint64_t buckets, uint64_t seed, BoundColumn input, BoundColumn output)
      : buckets_(buckets), seed_(seed), input_(std::move(input)), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    const batch::Column& in = frame.Get(input_.slot);
    batch::Column out =
        NewUnwrittenColumn<int64_t>(output_.schema.name, frame.num_rows(), output_.schema.shape);
    const std::span<int64_t> values = out.data.MutableAs<int64_t>();
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      values[row] = buckets_(HashOfText(in.Bytes(row), seed_));
    }
    frame.Set(output_.slot, std::move(out));
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& /*numbers*/) const override { return EffectOf(buckets_); }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    return WriteHash(buckets_, seed_, input_, output_, graph);
  }

 private:
  const Buckets buckets_;
  const uint64_t seed_;
  const BoundColumn input_;
  const BoundColumn output_;
};

class NumberBucketsOp final : public BlockOp {
 public:
  NumberBucketsOp(uint64_t buckets, uint64_t seed, const BoundColumn& input,
                  const BoundColumn& output)
      : BlockOp({input}, {output}), buckets_(buckets), seed_(seed) {}

  absl::Status RunBlock(const Block& block) const override {
    const std::span<int64_t> out = OutputOf<int64_t>(block, 0);
    const NumberHash hash(seed_);
    const uint64_t mask = buckets_.mask().value_or(~uint64_t{0});
    VisitInput(block, 0, [&]<typename T>(std::span<const T> in) {
      if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) {
        HashNumbers(in.data(), std::ssize(in), hash, mask, out.data());
      } else {
        for (size_t i = 0; i < in.size(); ++i) {
          out[i] =
              static_cast<int64_t>(hash(static_cast<uint64_t>(static_cast<int64_t>(in[i]))) & mask);
        }
      }
    });
    if (buckets_.mask()) return absl::OkStatus();
    for (int64_t& value : out) value = buckets_(static_cast<uint64_t>(value));
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& /*numbers*/) const override { return EffectOf(buckets_); }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    return WriteHash(buckets_, seed_, inputs()[0], outputs()[0], graph);
  }

 private:
  const Buckets buckets_;
  const uint64_t seed_;
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
  if (IsText(input->schema.type)) {
    return std::make_unique<TextBucketsOp>(buckets, seed, *input, std::move(output));
  }
  return std::make_unique<NumberBucketsOp>(buckets, seed, *input, output);
}

}  // namespace tidemill::transform
