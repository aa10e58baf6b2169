#include "transform/ops/hash_buckets.h"

#include <bit>
#include <optional>

#include "transform/engine/numbers.h"
#include "transform/engine/portable_graph.h"
#include "xxhash.h"

namespace tidemill::transform {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as raw bytes");

// XXH3_64bits_withSeed() of the eight bytes of a number, as doc/xxhash_spec.md of xxHash has it for
// inputs of four to eight bytes. A call takes longer than these few instructions.
class NumberHash {
 public:
  explicit NumberHash(uint64_t seed) {
    const uint64_t low = seed & 0xFFFFFFFF;
    const uint64_t swapped = (low >> 24) | (low >> 8 & 0xFF00) | (low << 8 & 0xFF0000) | low << 24;
    secret_ = kSecret - (seed ^ (swapped & 0xFFFFFFFF) << 32);
  }
  uint64_t operator()(uint64_t number) const {
    uint64_t hash = std::rotl(number, 32) ^ secret_;
    hash ^= std::rotl(hash, 49) ^ std::rotl(hash, 24);
    hash *= kPrime;
    hash ^= (hash >> 35) + sizeof(number);
    hash *= kPrime;
    return hash ^ hash >> 28;
  }

 private:
  // Bytes 8 to 15 of xxHash's secret, with 16 to 23.
  static constexpr uint64_t kSecret = 0x1CAD21F72C81017C ^ 0xDB979083E96DD4DE;
  static constexpr uint64_t kPrime = 0x9FB21C651E98DF25;

  uint64_t secret_ = 0;
};

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
        values[row] = BucketOf(XXH3_64bits_withSeed(text.data(), text.size(), seed_));
      }
    }
    const NumberHash hash(seed_);
    VisitNumbers(in, [&](auto numbers) {
      for (size_t i = 0; i < numbers.size(); ++i) {
        values[i] = BucketOf(hash(static_cast<uint64_t>(static_cast<int64_t>(numbers[i]))));
      }
    });
    frame.Set(output_.slot, std::move(out));
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& /*numbers*/) const override {
    return {.obstacle = {}, .made = {{0, static_cast<double>(buckets_), true}}};
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    if (!graph.Has(input_)) return absl::OkStatus();
    graph.Set(output_, graph.HashOf(graph.Get(input_), static_cast<int64_t>(buckets_),
                                    static_cast<int64_t>(seed_)));
    return absl::OkStatus();
  }

 private:
  int64_t BucketOf(uint64_t hash) const {
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
