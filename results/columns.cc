#include "results/columns.h"

#include <string>
#include <utility>

namespace tidemill::results {
namespace {

using nlohmann::ordered_json;

ordered_json TextOrNull(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

std::string TimeOf(const rpc::v1::Cut& cut) { return FormatTimestamp({cut.event_time()}); }

// As JSON itself, which it is.
ordered_json DetailOf(const std::string& detail) {
  if (detail.empty()) return nullptr;
  ordered_json parsed = ordered_json::parse(detail, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? ordered_json(detail) : parsed;
}

constexpr Column kColumns[] = {
    {"dataset", [](const Row& row) { return ordered_json(row.dataset_name()); }},
    {"measure", [](const Row& row) { return ordered_json(row.measure()); }},
    {"slice", [](const Row& row) { return TextOrNull(row.slice()); }, nullptr, true},
    {"trigger", [](const Row& row) { return ordered_json(row.trigger()); }},
    {"model", [](const Row& row) { return ordered_json(row.model_id()); }},
    {"from", [](const Row& row) { return ordered_json(TimeOf(row.from())); }},
    {"to", [](const Row& row) { return ordered_json(TimeOf(row.to())); }},
    {"samples", [](const Row& row) { return ordered_json(row.num_samples()); }},
    {"value",
     [](const Row& row) {
       return row.has_value() ? ordered_json(row.value()) : ordered_json(nullptr);
     }},
    {"low",
     [](const Row& row) { return row.has_low() ? ordered_json(row.low()) : ordered_json(nullptr); },
     nullptr, true},
    {"high",
     [](const Row& row) {
       return row.has_high() ? ordered_json(row.high()) : ordered_json(nullptr);
     },
     nullptr, true},
    {"failure", [](const Row& row) { return TextOrNull(row.failure()); }, nullptr, true},
    {"known",
     [](const Row& row) {
       return row.has_num_known() ? ordered_json(row.num_known()) : ordered_json(nullptr);
     }},
    {"unlabelled", [](const Row& row) { return ordered_json(row.num_unlabelled()); },
     "without a label"},
    {"bad", [](const Row& row) { return ordered_json(row.num_bad()); }, "could not be used"},
    {"deleted", [](const Row& row) { return ordered_json(row.num_deleted()); }, "deleted"},
    {"from_key", [](const Row& row) { return ordered_json(row.from().sample_key()); }},
    {"to_key", [](const Row& row) { return ordered_json(row.to().sample_key()); }},
    {"filtered", [](const Row& row) { return ordered_json(row.num_filtered()); }, "filtered"},
    {"unkept", [](const Row& row) { return ordered_json(row.num_unkept()); }, "not in intervals"},
    {"baseline", [](const Row& row) { return TextOrNull(row.baseline()); }, nullptr, true, false},
    {"detail", [](const Row& row) { return DetailOf(row.detail()); }, nullptr, true, false},
};

}  // namespace

std::span<const Column> Columns() { return kColumns; }

ordered_json RowToJson(const Row& row) {
  ordered_json json = {{"evaluation", row.evaluation()}};
  for (const Column& column : kColumns) {
    ordered_json value = column.of(row);
    if (!column.is_rare || !value.is_null()) json[column.name] = std::move(value);
  }
  return json;
}

}  // namespace tidemill::results
