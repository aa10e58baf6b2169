#include "batch/labels.h"

#include <algorithm>

namespace tidemill::batch {

namespace {

constexpr std::string_view kLabelColumns[] = {kClassLabelColumn, kRealLabelColumn};

bool HasLabel(const Column* labels, int64_t row) {
  return labels != nullptr && labels->IsValid(row);
}

// As `like`, with as many rows, none of which has a value.
Column Nothing(const Column& like, int64_t num_rows) {
  Column column{.name = like.name, .type = like.type, .shape = like.shape};
  column.data = Buffer::Allocate(static_cast<size_t>(num_rows) * SizeOf(like.type));
  column.validity = Buffer::Allocate((static_cast<size_t>(num_rows) + 7) / 8);
  return column;
}

}  // namespace

std::vector<int64_t> LabelledRows(const Batch& samples) {
  const Column* const classes = samples.Find(kClassLabelColumn);
  const Column* const reals = samples.Find(kRealLabelColumn);
  std::vector<int64_t> rows;
  rows.reserve(static_cast<size_t>(samples.num_rows()));
  for (int64_t row = 0; row < samples.num_rows(); ++row) {
    if (HasLabel(classes, row) || HasLabel(reals, row)) rows.push_back(row);
  }
  return rows;
}

absl::Status AlignLabels(std::span<Batch> batches) {
  for (const std::string_view name : kLabelColumns) {
    const auto has_it = std::ranges::find_if(
        batches, [&](const Batch& batch) { return batch.Find(name) != nullptr; });
    if (has_it == batches.end()) continue;
    const Column like = *has_it->Find(name);
    for (Batch& batch : batches) {
      if (batch.Find(name) == nullptr) {
        RETURN_IF_ERROR(batch.Set(Nothing(like, batch.num_rows())));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status ForgetLabels(Batch& samples) {
  const auto num_rows = static_cast<size_t>(samples.num_rows());
  const std::vector<int64_t> classes(num_rows, 0);
  const std::vector<double> reals(num_rows, 0);
  RETURN_IF_ERROR(samples.Set(MakeColumn<int64_t>(kClassLabelColumn, classes)));
  return samples.Set(MakeColumn<double>(kRealLabelColumn, reals));
}

}  // namespace tidemill::batch
