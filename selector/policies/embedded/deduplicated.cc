#include "selector/policies/embedded/deduplicated.h"

#include <algorithm>
#include <cmath>

#include "selector/choosing/chooser.h"
#include "selector/columns/number_column.h"
#include "selector/policies/embedded/embedded_chooser.h"
#include "subsets/deduplication.h"
#include "subsets/distances.h"

namespace tidemill::selector {
namespace {

constexpr int64_t kIterations = 20;

subsets::KeepAlike KeepOfSpec(KeepOf keep) {
  switch (keep) {
    case KeepOf::kHard:
      return subsets::KeepAlike::kFarthest;
    case KeepOf::kEasy:
      return subsets::KeepAlike::kNearest;
    case KeepOf::kFirst:
      return subsets::KeepAlike::kFirst;
  }
  return subsets::KeepAlike::kFarthest;
}

// As many bytes of numbers as a step of normalising takes.
constexpr int64_t kPieceBytes = int64_t{1} << 20;

absl::Status AppendNormalised(const subsets::Rows& rows, NumberColumn<float>& column) {
  const int64_t row_bytes = rows.width * static_cast<int64_t>(sizeof(float));
  const int64_t piece = std::max<int64_t>(1, kPieceBytes / std::max<int64_t>(1, row_bytes));
  for (int64_t from = 0; from < rows.num_rows; from += piece) {
    const int64_t count = std::min(piece, rows.num_rows - from);
    const auto values = rows.values.subspan(static_cast<size_t>(from * rows.width),
                                            static_cast<size_t>(count * rows.width));
    RETURN_IF_ERROR(column.Append(subsets::Normalised({values, count, rows.width})));
  }
  return absl::OkStatus();
}

absl::StatusOr<EmbeddedChoice> Choose(const Deduplicated& spec,
                                      const EmbeddedCandidates& candidates, const RandomKey& random,
                                      const Workplace& workplace) {
  const subsets::Rows& rows = candidates.embeddings;
  NumberColumn<float> numbers(workplace.folder, workplace.memory_budget / 2,
                              std::ssize(rows.values));
  RETURN_IF_ERROR(AppendNormalised(rows, numbers));
  ASSIGN_OR_RETURN(const std::span<const float> values, numbers.View());
  const auto root = std::sqrt(static_cast<double>(rows.num_rows));
  EmbeddedChoice chosen;
  chosen.choice =
      subsets::LeaveOutAlike({values, rows.num_rows, rows.width},
                             {.epsilon = spec.epsilon,
                              .num_clusters = spec.clusters.value_or(std::llround(root)),
                              .iterations = kIterations,
                              .keep = KeepOfSpec(spec.keep),
                              .random = random},
                             workplace.pool);
  return chosen;
}

}  // namespace

std::unique_ptr<Chooser> MakeChooser(const Deduplicated& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  const auto choose = [spec](const EmbeddedCandidates& candidates, const RandomKey& stream,
                             const Workplace& place) {
    return Choose(spec, candidates, stream, place);
  };
  return MakeEmbeddedChooser({}, choose, random, workplace, into);
}

}  // namespace tidemill::selector
