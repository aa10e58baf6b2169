#include "supervisor/triggers/plugin/plugin_policy.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/overloaded.h"
#include "base/printable.h"
#include "plugin/process/fault.h"
#include "plugin/spec/json_fields.h"
#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/number_names.h"

// A decision, and what happens when the plug-in cannot make it:
//
//   grid: n samples or a period --> Needs() --> evidence --> observe --> numbers --> judge
//                                                               |                      |
//                                                               `------- fault --------+
//                                                                                      v
//                                                               on_fault: fire, skip or fail
//
// Without a model, a plug-in that needs one is not called: the decision fires.
//
// The numbers are recorded with the decision, so that `judge` can be asked again about them later.

namespace tidemill::supervisor {
namespace {

using nlohmann::json;
using plugin::BoolAt;
using plugin::NumberAt;
using plugin::TextAt;

constexpr char kBase64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
// The limit of the numbers that a decision observes.
constexpr size_t kMaxNumbers = 100;
constexpr size_t kMaxNameBytes = 100;
// Events that wait for a plug-in that cannot decide.
constexpr size_t kMaxEvents = 1000;

std::variant<SampleGrid, PeriodGrid> GridOf(const PluginDeclaration& declaration) {
  if (declaration.periods) return PeriodGrid(*declaration.periods);
  return SampleGrid(declaration.samples.value_or(1));
}

json ToJson(const Cut& cut) {
  return {{"event_time", cut.event_time.micros}, {"key", cut.sample_key.value}};
}

// A text from the plug-in, in a form that can be stored and shown.
std::string Words(const json& object, const char* key, size_t most) {
  return Printable(TextAt(object, key).substr(0, most));
}

json ToJson(const Observed& observed) {
  json numbers = json::object();
  for (const auto& [name, value] : observed) numbers[name] = value;
  return numbers;
}

absl::StatusOr<Observed> ReadObserved(const json& answer) {
  const auto said = answer.find("observed");
  if (said == answer.end() || !said->is_object()) {
    return InvalidArgument("observe: it returned no observed numbers");
  }
  if (said->size() > kMaxNumbers) {
    return InvalidArgument("observe: it observed {} numbers; at most {} are recorded", said->size(),
                           kMaxNumbers);
  }
  Observed observed;
  for (const auto& [name, value] : said->items()) {
    if (name.size() > kMaxNameBytes || !IsPrintable(name)) {
      return InvalidArgument("observe: '{}' is not a valid name for a number",
                             Printable(name).substr(0, 60));
    }
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      return InvalidArgument("observe: {} is not a finite number", name);
    }
    observed[name] = value.get<double>();
  }
  return observed;
}

Verdict VerdictOf(const json& answer, const Observed& observed) {
  Verdict verdict = NewVerdict(PluginTrigger::kType, observed);
  verdict.set_fired(BoolAt(answer, "fired"));
  verdict.set_because(Words(answer, "because", 1000));
  const auto compared = answer.find("comparison");
  if (compared != answer.end() && compared->is_object()) {
    *verdict.mutable_comparison() =
        Compared(Words(*compared, "quantity", 200), NumberAt(*compared, "value").value_or(0),
                 NumberAt(*compared, "threshold").value_or(0), Words(*compared, "unit", 50));
  }
  return verdict;
}

// The answer if there is no model for the plug-in to look at.
Verdict WithoutModel() {
  Verdict verdict = NewVerdict(PluginTrigger::kType, ObservedOf({{number::kNoModel, 1}}));
  verdict.set_fired(true);
  verdict.set_because("there was no model that it could look at");
  return verdict;
}

// The values of a table of numbers, `width` a row. Tables leave out different samples, so each has
// its keys.
absl::StatusOr<json> ValuesTable(const EvidenceTable& table, plugin::HostProcess& host) {
  batch::Batch batch(table.num_rows);
  std::vector<int64_t> shape;
  if (table.width != 1) shape.push_back(table.width);
  RETURN_IF_ERROR(
      batch.Set(batch::MakeColumn<double>("values", std::span(table.values), std::move(shape))));
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>("key", std::span(table.keys))));
  ASSIGN_OR_RETURN(json said, host.AddColumns(batch));
  said["missing"] = table.num_missing;
  return said;
}

}  // namespace

PluginPolicy::PluginPolicy(PluginTrigger spec, absl::StatusOr<PluginDeclaration> declaration,
                           std::unique_ptr<plugin::PluginInstance> instance)
    : spec_(std::move(spec)),
      undeclared_(declaration.status()),
      declaration_(declaration.ok() ? *std::move(declaration) : PluginDeclaration()),
      instance_(std::move(instance)),
      grid_(GridOf(declaration_)) {
  bool is_bounded = true;
  for (const DeclaredEvidence& evidence : declaration_.looks_at) {
    if (evidence.kind) continue;
    keeps_samples_ = true;
    is_bounded = is_bounded && evidence.newest > 0;
    most_samples_ = std::max(most_samples_, static_cast<size_t>(evidence.newest));
  }
  if (!is_bounded) most_samples_ = 0;
}

std::optional<DecisionPoint> PluginPolicy::NextPoint(Samples ahead, Timestamp clock) const {
  return std::visit(
      Overloaded{[&](const SampleGrid& counts) { return counts.NextPoint(ahead); },
                 [&](const PeriodGrid& periods) { return periods.NextPoint(ahead, clock); }},
      grid_);
}

void PluginPolicy::Take(Samples samples) {
  std::visit([&](auto& grid) { grid.Take(samples); }, grid_);
  if (!keeps_samples_) return;
  keys_.insert(keys_.end(), samples.keys.begin(), samples.keys.end());
  event_times_.insert(event_times_.end(), samples.event_times.begin(), samples.event_times.end());
  // Not at each batch: each sample is moved a few times at most.
  if (most_samples_ > 0 && keys_.size() > 2 * most_samples_) {
    const auto too_many = static_cast<ptrdiff_t>(keys_.size() - most_samples_);
    keys_.erase(keys_.begin(), keys_.begin() + too_many);
    event_times_.erase(event_times_.begin(), event_times_.begin() + too_many);
  }
}

std::optional<Cut> PluginPolicy::From(Since since) const {
  switch (since) {
    case Since::kDecision:
      return decided_;
    case Since::kTraining:
      return trained_;
    case Since::kBeginning:
      break;
  }
  return std::nullopt;
}

std::vector<EvidenceRequest> PluginPolicy::Needs(const Cut& at) const {
  std::vector<EvidenceRequest> requests;
  if (WaitsForModel()) return requests;
  for (const DeclaredEvidence& evidence : declaration_.looks_at) {
    if (!evidence.kind) continue;
    requests.push_back({.kind = *evidence.kind,
                        .from = From(evidence.since),
                        .to = at,
                        .newest = evidence.newest,
                        .most_rows = evidence.most_rows,
                        .columns = evidence.columns});
  }
  return requests;
}

absl::StatusOr<Verdict> PluginPolicy::Decide(const Evidence& evidence) {
  absl::StatusOr<Verdict> verdict;
  if (!undeclared_.ok()) {
    verdict = AfterFault(undeclared_);
  } else if (WaitsForModel()) {
    verdict = WithoutModel();
  } else if (auto observed = Observe(evidence); !observed.ok()) {
    verdict = AfterFault(observed.status());
  } else if (auto judged = Judge(*instance_, *observed); !judged.ok()) {
    verdict = AfterFault(judged.status());
  } else {
    verdict = std::move(judged);
  }
  Pass(evidence.at);
  return verdict;
}

absl::StatusOr<Observed> PluginPolicy::Observe(const Evidence& evidence) {
  const auto request = [&](plugin::HostProcess& host) -> absl::StatusOr<json> {
    ASSIGN_OR_RETURN(json tables, TablesOf(evidence, host));
    return json{{"call", "observe"},           {"at", ToJson(evidence.at)},
                {"num_new", evidence.num_new}, {"has_model", has_model_},
                {"events", events_},           {"tables", std::move(tables)}};
  };
  ASSIGN_OR_RETURN(const json answer, instance_->Call(request));
  absl::StatusOr<Observed> observed = ReadObserved(answer);
  if (!observed.ok()) return Annotate(observed.status(), spec_.use);
  std::string state = TextAt(answer, "state");
  if (state.find_first_not_of(kBase64) != std::string::npos) {
    return InvalidArgument("{}: observe: its state is not base64", spec_.use);
  }
  instance_->Note(std::move(state));
  events_ = json::array();
  return observed;
}

absl::StatusOr<json> PluginPolicy::TablesOf(const Evidence& evidence,
                                            plugin::HostProcess& host) const {
  json tables = json::object();
  size_t next = 0;
  for (const DeclaredEvidence& declared : declaration_.looks_at) {
    absl::StatusOr<json> table;
    if (!declared.kind) {
      table = SamplesTable(declared, host);
    } else if (next < evidence.tables.size()) {
      table = ValuesTable(evidence.tables[next++], host);
    } else {
      table = InvalidArgument("{}: nothing was read of {}", spec_.use, declared.name);
    }
    RETURN_IF_ERROR(table.status());
    tables[declared.name] = *std::move(table);
  }
  return tables;
}

absl::StatusOr<json> PluginPolicy::SamplesTable(const DeclaredEvidence& evidence,
                                                plugin::HostProcess& host) const {
  const size_t all = keys_.size();
  const size_t wanted =
      evidence.newest > 0 ? std::min(all, static_cast<size_t>(evidence.newest)) : all;
  batch::Batch batch(static_cast<int64_t>(wanted));
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>("key", std::span(keys_).last(wanted))));
  RETURN_IF_ERROR(
      batch.Set(batch::MakeColumn<int64_t>("event_time", std::span(event_times_).last(wanted))));
  ASSIGN_OR_RETURN(json said, host.AddColumns(batch));
  said["missing"] = 0;
  return said;
}

bool PluginPolicy::IsAsked(const Observed& observed) {
  return !observed.contains(number::kNoModel);
}

absl::StatusOr<Verdict> PluginPolicy::Judge(plugin::PluginInstance& instance,
                                            const Observed& observed) {
  ASSIGN_OR_RETURN(const json answer,
                   instance.Call(json{{"call", "judge"}, {"observed", ToJson(observed)}}));
  return VerdictOf(answer, observed);
}

absl::StatusOr<Verdict> PluginPolicy::AfterFault(const absl::Status& fault) const {
  const std::string what(fault.message());
  if (plugin::IsOfMachine(fault)) return Unavailable("trigger: {}", what);
  const std::string traceback = plugin::TracebackOf(fault);
  if (spec_.on_fault == OnTriggerFault::kFail) {
    return FailedPrecondition("trigger: {}{}{}", what, traceback.empty() ? "" : "\n", traceback);
  }
  Verdict verdict = NewVerdict(PluginTrigger::kType, {});
  verdict.set_fired(spec_.on_fault == OnTriggerFault::kFire);
  verdict.mutable_fault()->set_what(what);
  verdict.mutable_fault()->set_traceback(traceback);
  return verdict;
}

void PluginPolicy::Pass(const Cut& at) {
  std::visit(Overloaded{[](SampleGrid& counts) { counts.Restart(); },
                        [&](PeriodGrid& periods) { periods.PassTo(at.event_time); }},
             grid_);
  decided_ = at;
  keys_.clear();
  event_times_.clear();
}

void PluginPolicy::Fired(const Cut& at) {
  std::visit(Overloaded{[](SampleGrid& counts) { counts.Restart(); },
                        [&](PeriodGrid& periods) { periods.StartAt(at.event_time); }},
             grid_);
  trained_ = at;
  has_model_ = true;
  Tell({{"trained", ToJson(at)}});
}

void PluginPolicy::Tell(json event) {
  if (events_.size() >= kMaxEvents) events_.erase(events_.begin());
  events_.push_back(std::move(event));
}

void PluginPolicy::Learn(const TrainingCost& cost) {
  Tell({{"cost", {{"samples", cost.num_samples}, {"seconds", cost.seconds}}}});
}

void PluginPolicy::NoModel() {
  // A supervisor that resumes the run reports it again.
  if (!has_model_) return;
  has_model_ = false;
  Tell({{"no_model", true}});
}

std::string PluginPolicy::Standing() const {
  return std::visit([](const auto& grid) { return grid.Standing(); }, grid_);
}

json PluginPolicy::Seal() const {
  json state = statistics::SealState(*this);
  state["plugin"] = instance_->state();
  return state;
}

absl::Status PluginPolicy::Restore(const json& sealed) {
  const json own = sealed.is_object() ? sealed.value("plugin", json()) : json();
  if (!own.is_string())
    return DataLoss("the policy's state: the state of the plug-in is not a text");
  json state = sealed;
  state.erase("plugin");
  RETURN_IF_ERROR(statistics::RestoreInto(state, *this));
  if (keys_.size() != event_times_.size())
    return DataLoss("the policy's state: samples are cut off");
  instance_->Restore(own.get<std::string>());
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor
