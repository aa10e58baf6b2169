#include "transform/ops/texts/hash_tokens.h"

#include "transform/engine/numbers.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/texts/text_words.h"
#include "xxhash.h"

namespace tidemill::transform {
namespace {

class HashTokensOp final : public Op {
 public:
  HashTokensOp(HashTokensSpec spec, BoundColumn input, BoundColumn output)
      : spec_(std::move(spec)), input_(std::move(input)), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    const batch::Column& in = frame.Get(input_.slot);
    batch::Column out =
        NewColumn<int64_t>(output_.schema.name, frame.num_rows(), output_.schema.shape);
    int64_t* const values = out.data.MutableAs<int64_t>().data();
    const auto seed = static_cast<uint64_t>(spec_.seed);
    const auto buckets = static_cast<uint64_t>(spec_.buckets);
    TextWords words(spec_.lowercase);
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (frame.IsBad(row)) continue;
      words.Split(in.Bytes(row));
      int64_t* next = values + row * spec_.length;
      words.ForEachRun(spec_.ngrams, spec_.length, [&](std::string_view run) {
        const uint64_t hash = XXH3_64bits_withSeed(run.data(), run.size(), seed);
        *next++ = static_cast<int64_t>(hash % buckets) + 1;
      });
    }
    frame.Set(output_.slot, std::move(out));
    return absl::OkStatus();
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    graph.Set(output_, graph.HashesOfWords(graph.Get(input_),
                                           {spec_.ngrams, spec_.length, spec_.lowercase ? 1 : 0,
                                            spec_.buckets, spec_.seed}));
    return absl::OkStatus();
  }

 private:
  const HashTokensSpec spec_;
  const BoundColumn input_;
  const BoundColumn output_;
};

}  // namespace

std::unique_ptr<Op> HashTokensSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (input.has_value()) CheckIsText(builder, "column", *input);
  BoundColumn output = builder.Output(
      "into",
      {.name = into.empty() ? column : into, .type = batch::DataType::kInt64, .shape = {length}});
  if (!input.has_value()) return nullptr;
  return std::make_unique<HashTokensOp>(*this, *input, std::move(output));
}

}  // namespace tidemill::transform
