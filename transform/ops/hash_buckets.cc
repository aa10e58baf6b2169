#include "transform/ops/hash_buckets.h"

#include <bit>
#include <optional>

#include "transform/engine/numbers.h"

// Inlined, so that the hash of a number, whose size is known, is a few instructions.
#define XXH_INLINE_ALL
#include "xxhash.h"

namespace tidemill::transform {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as they lie");

class HashBucketsOp final : public Op {
 public:
  HashBucketsOp(uint64_t buckets, uint64_t seed, BoundColumn input, BoundColumn output)
      : buckets_(buckets),
        mask_(std::has_single_bit(buckets) ? std::optional(buckets - 1) : std::nullopt),
        seed_(seed),
        input_(std::move(input)),
        output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    const batch::Column& in = frame.Get(input_.slot);
    batch::Column out =
        NewUnwrittenColumn<int64_t>(output_.schema.name, frame.num_rows(), output_.schema.shape);
    const std::span<int64_t> values = out.data.MutableAs<int64_t>();
    if (in.type == batch::DataType::kBinary) {
      for (int64_t row = 0; row < frame.num_rows(); ++row) {
        const std::string_view text = in.Bytes(row);
        values[row] = Bucket(text.data(), text.size());
      }
    }
    VisitNumbers(in, [&](auto numbers) {
      for (size_t i = 0; i < numbers.size(); ++i) {
        const auto number = static_cast<int64_t>(numbers[i]);
        values[i] = Bucket(&number, sizeof(number));
      }
    });
    frame.Set(output_.slot, std::move(out));
    return absl::OkStatus();
  }

 private:
  int64_t Bucket(const void* bytes, size_t size) const {
    const uint64_t hash = XXH3_64bits_withSeed(bytes, size, seed_);
    // A division takes longer than the hash.
    return static_cast<int64_t>(mask_.has_value() ? hash & *mask_ : hash % buckets_);
  }

  const uint64_t buckets_;
  const std::optional<uint64_t> mask_;  // For a power of two.
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
