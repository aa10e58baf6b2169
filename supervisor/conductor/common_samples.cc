#include "supervisor/conductor/common_samples.h"

#include <algorithm>
#include <utility>

#include "base/numbers/random.h"

namespace tidemill::supervisor {
namespace {

struct Drawn {
  uint64_t rank = 0;  // A function of the key. The least ones are drawn.
  int64_t place = 0;
  int64_t key = 0;
  int64_t time = 0;
};

void Thin(std::vector<Drawn>& drawn) {
  if (drawn.size() <= kMaxCompared) return;
  const auto end = drawn.begin() + static_cast<std::ptrdiff_t>(kMaxCompared);
  std::ranges::nth_element(drawn, end, {}, &Drawn::rank);
  drawn.erase(end, drawn.end());
}

}  // namespace

absl::StatusOr<ComparedSamples> ListSamplesIn(Downstream& downstream,
                                              const rpc::v1::Snapshot& snapshot,
                                              const std::vector<MetSpan>& spans) {
  const RandomKey stream{.seed = 0, .purpose = "compared"};
  std::vector<Drawn> drawn;
  int64_t num_listed = 0;
  const auto take = [&](const batch::Batch& chunk) -> absl::Status {
    ASSIGN_OR_RETURN(const batch::Column* column,
                     chunk.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
    const auto times = column->Values<int64_t>();
    for (size_t i = 0; i < times.size(); ++i) {
      const int64_t key = chunk.keys()[i];
      drawn.push_back({RandomBits(stream, key), num_listed++, key, times[i]});
    }
    if (drawn.size() > 2 * kMaxCompared) Thin(drawn);
    return absl::OkStatus();
  };
  for (const MetSpan& span : spans) {
    storage::v1::ListSamplesRequest request;
    *request.mutable_snapshot() = snapshot;
    *request.mutable_from() = span.from;
    *request.mutable_to() = span.to;
    RETURN_IF_ERROR(downstream.ListSamples(request, take));
  }
  Thin(drawn);
  std::ranges::sort(drawn, {}, &Drawn::place);
  ComparedSamples samples;
  for (const Drawn& sample : drawn) {
    samples.keys.push_back(sample.key);
    samples.times.push_back(sample.time);
  }
  if (num_listed > 0) {
    samples.share = static_cast<double>(drawn.size()) / static_cast<double>(num_listed);
  }
  return samples;
}

}  // namespace tidemill::supervisor
