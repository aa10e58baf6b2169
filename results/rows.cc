#include "results/rows.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace tidemill::results {
namespace {

constexpr std::string_view kConfusionMatrix = "confusion_matrix";

}  // namespace

Cut CutOf(const rpc::v1::Cut& cut) { return {{cut.event_time()}, {cut.sample_key()}}; }

Window WindowOf(const Row& row) { return {CutOf(row.from()), CutOf(row.to())}; }

bool Measured::Holds(const Row& row) const {
  return row.evaluation() == evaluation && row.measure() == measure &&
         row.dataset_name() == dataset;
}

Measured MeasuredOf(const Row& row) {
  return {row.evaluation(), row.dataset_name(), row.measure()};
}

bool IsCell(const Row& row) {
  return IsOfModel(row) && IsWhole(row) && row.measure() != kConfusionMatrix;
}

Rows ByWindow(Rows rows) {
  std::ranges::stable_sort(
      rows, {}, [](const Row* row) { return std::pair(row->evaluation(), WindowOf(*row)); });
  return rows;
}

Rows internal::InUseOf(Rows of_models) {
  struct Known {
    bool any_active = false;
    int64_t last = 0;
  };
  std::map<int32_t, Known> evaluations;
  for (const Row* row : of_models) {
    Known& known = evaluations[row->evaluation()];
    known.any_active = known.any_active || row->active();
    known.last = std::max(known.last, row->trigger());
  }
  std::erase_if(of_models, [&](const Row* row) {
    const Known& known = evaluations[row->evaluation()];
    return known.any_active ? !row->active() : row->trigger() != known.last;
  });
  return of_models;
}

}  // namespace tidemill::results
