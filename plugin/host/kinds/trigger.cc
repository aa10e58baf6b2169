#include "plugin/host/kinds/trigger.h"

#include <string>
#include <vector>

#include "plugin/host/calls/contract.h"
#include "plugin/host/calls/json_fields.h"
#include "plugin/host/calls/request_columns.h"

namespace tidemill::plugin::host {
namespace {

using nlohmann::json;

constexpr const char* kEvidenceKinds[] = {"",           "samples", "errors", "predictions",
                                          "embeddings", "labels",  "columns"};
constexpr const char* kSince[] = {"", "decision", "training", "beginning"};
constexpr std::string_view kCalendars[] = {"day", "week", "month", "year"};

absl::StatusOr<json> Described(const TidemillEvidence& evidence) {
  if (evidence.name == nullptr || *evidence.name == '\0') {
    return InvalidArgument("looks_at: a table has no name");
  }
  if (evidence.kind < TIDEMILL_SAMPLES || evidence.kind > TIDEMILL_RECORD_COLUMNS ||
      evidence.since < TIDEMILL_DECISION || evidence.since > TIDEMILL_BEGINNING ||
      evidence.newest < 0 || evidence.most_rows < 0) {
    return InvalidArgument("looks_at: {} has an unknown kind", evidence.name);
  }
  json columns = json::array();
  for (const char* const* column = evidence.columns; column != nullptr && *column != nullptr;
       ++column) {
    columns.push_back(*column);
  }
  return json{{"name", evidence.name},           {"kind", kEvidenceKinds[evidence.kind]},
              {"since", kSince[evidence.since]}, {"newest", evidence.newest},
              {"most_rows", evidence.most_rows}, {"columns", std::move(columns)}};
}

absl::StatusOr<json> Described(const TidemillPoints& points) {
  const int given = (points.samples != 0 ? 1 : 0) + (points.seconds != 0 ? 1 : 0) +
                    (points.calendar != nullptr ? 1 : 0);
  if (given != 1)
    return InvalidArgument("points: set exactly one of samples, seconds and calendar");
  if (points.samples > 0) return json{{"samples", points.samples}};
  if (points.seconds > 0 && std::isfinite(points.seconds)) return json{{"seconds", points.seconds}};
  for (const std::string_view calendar : kCalendars) {
    if (points.calendar != nullptr && points.calendar == calendar) {
      return json{{"calendar", points.calendar}};
    }
  }
  return InvalidArgument("points: there is no such period");
}

absl::StatusOr<TidemillCut> CutOf(const json& said) {
  ASSIGN_OR_RETURN(const int64_t event_time, WholeOf(said, "event_time"));
  ASSIGN_OR_RETURN(const int64_t key, WholeOf(said, "key"));
  return TidemillCut{.event_time = event_time, .key = key};
}

class TriggerKind : public Kind {
 public:
  TriggerKind(const void* functions, Instance& instance, const Memory& requests)
      : functions_(Known<TidemillTrigger>(functions)), instance_(instance), requests_(requests) {}

  absl::StatusOr<json> Created(const json& /*request*/) override {
    auto points = Sized<TidemillPoints>();
    RETURN_IF_ERROR(
        instance_.Call("points", [&] { return functions_.points(instance_.self(), &points); }));
    ASSIGN_OR_RETURN(json said, Described(points));
    json looks_at = json::array();
    RETURN_IF_ERROR(AskEvidence());
    for (const TidemillEvidence& evidence : evidence_) {
      ASSIGN_OR_RETURN(json described, Described(evidence));
      names_.emplace_back(evidence.name);
      looks_at.push_back(std::move(described));
    }
    return json{{"points", std::move(said)}, {"looks_at", std::move(looks_at)}};
  }

  absl::StatusOr<json> Call(std::string_view call, const json& request) override {
    if (call == "observe") return Observe(request);
    if (call == "judge") return Judge(request);
    return InvalidArgument("a trigger has no call {}", call);
  }

 private:
  absl::Status AskEvidence() {
    if (functions_.looks_at == nullptr) return absl::OkStatus();
    const TidemillEvidence* first = nullptr;
    size_t count = 0;
    RETURN_IF_ERROR(instance_.Call("looks_at", [&] {
      first = functions_.looks_at(instance_.self(), &count);
      return 0;
    }));
    evidence_ = KnownOnes(first, count);
    return absl::OkStatus();
  }

  absl::StatusOr<json> Observe(const json& request) {
    for (const json& event : FieldOf(request, "events")) RETURN_IF_ERROR(Tell(event));
    auto moment = Sized<TidemillMoment>();
    ASSIGN_OR_RETURN(moment.at, CutOf(FieldOf(request, "at")));
    ASSIGN_OR_RETURN(moment.num_new, WholeOf(request, "num_new"));
    moment.has_model = FieldOf(request, "has_model") == json(true) ? 1 : 0;
    std::vector<std::unique_ptr<RequestColumns>> columns;
    ASSIGN_OR_RETURN(const std::vector<TidemillTable> tables,
                     Tables(FieldOf(request, "tables"), columns));
    moment.tables = tables.data();
    moment.num_tables = tables.size();
    const TidemillNumber* numbers = nullptr;
    size_t count = 0;
    RETURN_IF_ERROR(instance_.Call("observe", [&] {
      return functions_.observe(instance_.self(), &moment, &numbers, &count);
    }));
    json observed = json::object();
    for (size_t i = 0; i < count; ++i) {
      const std::string name = numbers[i].name != nullptr ? numbers[i].name : "";
      RETURN_IF_ERROR(CheckFinite(name, numbers[i].value));
      if (name.empty() || !observed.emplace(name, numbers[i].value).second) {
        return InvalidArgument("observe: '{}' is not a valid name, or is observed twice", name);
      }
    }
    ASSIGN_OR_RETURN(std::string state, instance_.Seal());
    return json{{"observed", std::move(observed)}, {"state", std::move(state)}};
  }

  // The samples since the last decision.
  absl::Status Tell(const json& event) {
    void* const self = instance_.self();
    if (event.contains("trained") && functions_.trained != nullptr) {
      ASSIGN_OR_RETURN(const TidemillCut at, CutOf(event["trained"]));
      return instance_.Call("trained", [&] { return functions_.trained(self, &at); });
    }
    if (event.contains("cost") && functions_.cost != nullptr) {
      ASSIGN_OR_RETURN(const int64_t samples, WholeOf(event["cost"], "samples"));
      ASSIGN_OR_RETURN(const double seconds, NumberOf(event["cost"], "seconds"));
      return instance_.Call("cost", [&] { return functions_.cost(self, samples, seconds); });
    }
    if (event.contains("no_model") && functions_.no_model != nullptr) {
      return instance_.Call("no_model", [&] { return functions_.no_model(self); });
    }
    return absl::OkStatus();
  }

  // In the order of looks_at; `columns` keeps what they point at.
  absl::StatusOr<std::vector<TidemillTable>> Tables(
      const json& said, std::vector<std::unique_ptr<RequestColumns>>& columns) const {
    std::vector<TidemillTable> tables;
    for (const std::string& name : names_) {
      const json& table = FieldOf(said, name.c_str());
      auto read = RequestColumns::Read(table, requests_);
      if (!read.ok()) return Annotate(read.status(), "the table " + name);
      columns.push_back(*std::move(read));
      auto given = Sized<TidemillTable>();
      given.name = name.c_str();
      given.columns = columns.back()->view();
      ASSIGN_OR_RETURN(given.missing, WholeOf(table, "missing"));
      tables.push_back(given);
    }
    return tables;
  }

  absl::StatusOr<json> Judge(const json& request) {
    const json& observed = FieldOf(request, "observed");
    std::vector<TidemillNumber> numbers;
    // The names point into the request, which outlives the call.
    for (auto number = observed.begin(); number != observed.end(); ++number) {
      if (!observed.is_object() || !number->is_number()) {
        return InvalidArgument("an observed value is not a number");
      }
      numbers.push_back({.name = number.key().c_str(), .value = number->get<double>()});
    }
    auto verdict = Sized<TidemillVerdict>();
    RETURN_IF_ERROR(instance_.Call("judge", [&] {
      return functions_.judge(instance_.self(), numbers.data(), numbers.size(), &verdict);
    }));
    if (verdict.because == nullptr) return InvalidArgument("judge: it returned no reason");
    json said = {{"fired", verdict.fired != 0}, {"because", verdict.because}};
    if (verdict.quantity == nullptr) return said;
    RETURN_IF_ERROR(CheckFinite(verdict.quantity, verdict.value));
    RETURN_IF_ERROR(CheckFinite("the threshold", verdict.threshold));
    said["comparison"] = {{"quantity", verdict.quantity},
                          {"value", verdict.value},
                          {"threshold", verdict.threshold},
                          {"unit", verdict.unit != nullptr ? verdict.unit : ""}};
    return said;
  }

  const TidemillTrigger functions_;
  Instance& instance_;
  const Memory& requests_;
  std::vector<TidemillEvidence> evidence_;
  // The names of the tables. The plug-in's own texts may be gone after its next call.
  std::vector<std::string> names_;
};

}  // namespace

absl::Status CheckTrigger(const void* functions) {
  const auto known = Known<TidemillTrigger>(functions);
  if (known.points != nullptr && known.observe != nullptr && known.judge != nullptr) {
    return absl::OkStatus();
  }
  return InvalidArgument("it needs the functions points, observe and judge");
}

std::unique_ptr<Kind> MakeTrigger(const void* functions, Instance& instance,
                                  const Memories& memories) {
  return std::make_unique<TriggerKind>(functions, instance, memories.requests);
}

}  // namespace tidemill::plugin::host
