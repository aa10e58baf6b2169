#include "supervisor/triggers/plugin/plugin_declaration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nlohmann/json.hpp"

#include "plugin/spec/json_fields.h"
#include "supervisor/triggers/calendar.h"

namespace tidemill::supervisor {
namespace {

using nlohmann::json;
using plugin::CountAt;
using plugin::TextAt;

struct KindName {
  std::string_view name;
  std::optional<EvidenceKind> kind;
};

constexpr KindName kKinds[] = {{"samples", std::nullopt},
                               {"errors", EvidenceKind::kErrors},
                               {"predictions", EvidenceKind::kPredictions},
                               {"embeddings", EvidenceKind::kEmbeddings},
                               {"labels", EvidenceKind::kLabels},
                               {"columns", EvidenceKind::kColumns}};

constexpr std::pair<std::string_view, Since> kSince[] = {{"decision", Since::kDecision},
                                                         {"training", Since::kTraining},
                                                         {"beginning", Since::kBeginning}};

absl::StatusOr<PeriodGrid::Periods> ReadCalendar(const std::string& unit) {
  for (const auto& [value, name] : config::EnumNames<CalendarUnit>::kNames) {
    if (name != unit) continue;
    ASSIGN_OR_RETURN(Calendar calendar, Calendar::Create(value, 1, "UTC"));
    return PeriodGrid::Periods(CalendarPeriods(std::move(calendar)));
  }
  return InvalidArgument("points: '{}' is not day, week, month or year", unit);
}

absl::Status ReadPoints(const json& points, PluginDeclaration& declaration) {
  if (!points.is_object() || points.size() != 1) {
    return InvalidArgument("it declared no decision points");
  }
  declaration.samples = CountAt(points, "samples");
  if (declaration.samples == 0) return InvalidArgument("points: 0 samples are not an interval");
  if (declaration.samples) return absl::OkStatus();
  const auto seconds = points.find("seconds");
  if (seconds != points.end() && seconds->is_number()) {
    const double micros = seconds->get<double>() * 1e6;
    if (!(micros >= 1 && micros < 1e18)) {
      return InvalidArgument("points: {} s is not a valid length of a period",
                             seconds->get<double>());
    }
    declaration.periods = EqualPeriods({std::llround(micros)});
    return absl::OkStatus();
  }
  if (points.contains("calendar")) {
    ASSIGN_OR_RETURN(declaration.periods, ReadCalendar(TextAt(points, "calendar")));
    return absl::OkStatus();
  }
  return InvalidArgument("points: {} has neither samples, seconds nor calendar", points.dump());
}

// Refuses evidence that may be all of a long stream: it is held in memory.
absl::Status CheckBounds(const DeclaredEvidence& evidence) {
  if (!evidence.kind) {
    if (evidence.most_rows == 0) return absl::OkStatus();
    return InvalidArgument("looks_at: {} takes newest, not most_rows", evidence.name);
  }
  const bool is_narrow =
      evidence.kind == EvidenceKind::kErrors || evidence.kind == EvidenceKind::kLabels;
  const bool may_be_long =
      evidence.since == Since::kBeginning || (evidence.since == Since::kTraining && !is_narrow);
  if (!may_be_long || evidence.newest > 0 || evidence.most_rows > 0) return absl::OkStatus();
  return InvalidArgument("looks_at: {} may cover all of a long stream; set newest or most_rows",
                         evidence.name);
}

absl::StatusOr<DeclaredEvidence> ReadEvidence(const json& said) {
  if (!said.is_object()) return InvalidArgument("looks_at: an entry is not an object");
  DeclaredEvidence evidence{.name = TextAt(said, "name")};
  const auto* const kind = std::ranges::find(kKinds, TextAt(said, "kind"), &KindName::name);
  if (kind == std::end(kKinds)) {
    return InvalidArgument("looks_at: {} is of an unknown kind, '{}'", evidence.name,
                           TextAt(said, "kind"));
  }
  evidence.kind = kind->kind;
  const std::string since = TextAt(said, "since");
  const auto* const from =
      std::ranges::find_if(kSince, [&](const auto& known) { return known.first == since; });
  if (from == std::end(kSince)) {
    return InvalidArgument("looks_at: {} begins at an unknown place, '{}'", evidence.name, since);
  }
  evidence.since = from->second;
  evidence.newest = CountAt(said, "newest").value_or(0);
  evidence.most_rows = CountAt(said, "most_rows").value_or(0);
  for (const json& column : said.value("columns", json::array())) {
    if (column.is_string()) evidence.columns.push_back(column.get<std::string>());
  }
  if (evidence.kind == EvidenceKind::kColumns && evidence.columns.empty()) {
    return InvalidArgument("looks_at: {} names no columns", evidence.name);
  }
  if (!evidence.kind && evidence.since != Since::kDecision) {
    return InvalidArgument("looks_at: {} can only cover the samples since the last decision",
                           evidence.name);
  }
  RETURN_IF_ERROR(CheckBounds(evidence));
  return evidence;
}

}  // namespace

bool PluginDeclaration::AsksModel() const {
  return std::ranges::any_of(looks_at, [](const DeclaredEvidence& evidence) {
    return evidence.kind && IsOfModel(*evidence.kind);
  });
}

bool PluginDeclaration::LooksAtSamples() const {
  return std::ranges::any_of(
      looks_at, [](const DeclaredEvidence& evidence) { return evidence.kind.has_value(); });
}

absl::StatusOr<PluginDeclaration> ReadDeclaration(const json& created) {
  PluginDeclaration declaration;
  if (!created.is_object()) return InvalidArgument("it returned no declaration");
  RETURN_IF_ERROR(ReadPoints(created.value("points", json()), declaration));
  for (const json& said : created.value("looks_at", json::array())) {
    ASSIGN_OR_RETURN(declaration.looks_at.emplace_back(), ReadEvidence(said));
  }
  return declaration;
}

}  // namespace tidemill::supervisor
