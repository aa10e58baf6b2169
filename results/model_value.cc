#include "results/model_value.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tidemill::results {
namespace {

// The cells of the last model.
Rows LastOf(const Rows& cells) {
  int64_t last = 0;
  for (const Row* row : cells) last = std::max(last, row->trigger());
  return ByWindow(Select(cells, [&](const Row& row) { return row.trigger() == last; }));
}

std::optional<RuleValue> BetterRule(const Table& table, const Measured& measured,
                                    const SampleMean& models,
                                    const std::shared_ptr<const Measure>& plugin) {
  std::set<Place> places;
  for (const Row* row : models.rows()) places.insert(PlaceOf(*row));
  std::optional<RuleValue> better;
  for (const std::string name : {"constant", "last"}) {
    const Rows rows = Select(table, [&](const Row& row) {
      return row.baseline() == name && measured.Holds(row) && places.contains(PlaceOf(row));
    });
    const auto reached = SampleMean(rows, plugin).Mean();
    if (!reached) continue;
    const bool wins =
        !better || (models.LowerIsBetter() ? *reached < better->value : *reached > better->value);
    if (wins) better = RuleValue{.name = name, .value = *reached};
  }
  return better;
}

// Returns std::nullopt when the models have no value.
std::optional<ModelValue> PoolModels(const Table& table, const Measured& measured,
                                     const Rows& models, const FindPlugin& find) {
  const std::shared_ptr<const Measure> plugin = find ? find(measured) : nullptr;
  ModelValue value{.measured = measured, .models = SampleMean(models, plugin)};
  if (!value.models.Mean()) return std::nullopt;
  value.rule = BetterRule(table, measured, value.models, plugin);
  return value;
}

}  // namespace

std::optional<ModelValue> ValueOfModels(const Table& table, std::string_view measure,
                                        const FindPlugin& plugin) {
  const Rows cells = Select(table, IsCell);
  for (const bool is_in_use : {true, false}) {
    for (const Measured& measured : AllMeasured(cells)) {
      if (!measure.empty() && measured.measure != measure) continue;
      const Rows own = Select(cells, [&](const Row& row) { return measured.Holds(row); });
      auto value = PoolModels(table, measured, is_in_use ? Active(own) : LastOf(own), plugin);
      if (!value) continue;
      value->is_of_last_model = !is_in_use;
      return value;
    }
  }
  return std::nullopt;
}

std::optional<ModelValue> ValueOfModel(const Table& table, int64_t trigger,
                                       const FindPlugin& plugin) {
  const bool any_active = !Active(table).empty();
  const Rows cells = Select(table, [&](const Row& row) {
    return IsCell(row) && row.trigger() == trigger && (row.active() || !any_active);
  });
  for (const Measured& measured : AllMeasured(cells)) {
    const Rows own = Select(cells, [&](const Row& row) { return measured.Holds(row); });
    if (auto value = PoolModels(table, measured, own, plugin)) return value;
  }
  return std::nullopt;
}

}  // namespace tidemill::results
