#include "selector/policies/plugin_chooser.h"

#include <utility>

#include "fmt/format.h"

#include "plugin/process/fault.h"
#include "plugin/process/taken_plugin.h"
#include "plugin/spec/json_fields.h"
#include "selector/choosing/lots.h"
#include "selector/policies/uniform.h"

namespace tidemill::selector {
namespace {

using nlohmann::json;
using plugin::HostProcess;

// Rows in one answer: they are looked at in the processor's cache.
constexpr int64_t kMaxRowsOfAnswer = int64_t{1} << 17;

// A plug-in without a declaration is shown nothing.
SelectionDeclaration DeclarationOf(const PluginSelection& spec) {
  auto declared = spec.Declaration();
  return declared.ok() ? *std::move(declared) : SelectionDeclaration();
}

}  // namespace

std::unique_ptr<plugin::PluginInstance> InstanceOf(const PluginSelection& spec,
                                                   const RandomKey& random) {
  // The lots are those that built-in policies draw. The seed is another one.
  RandomKey of_plugin = random;
  of_plugin.purpose = "selection plug-in";
  const LotFormula lots = FormulaOf(random);
  return std::make_unique<plugin::PluginInstance>(
      spec, "selection", RandomBits(of_plugin, 0), plugin::HostSettingsOf(spec),
      json{{"lots", {{"times", lots.times}, {"flip", lots.flip}, {"plus", lots.plus}}}});
}

PluginChooser::PluginChooser(const PluginSelection& spec,
                             std::unique_ptr<plugin::PluginInstance> instance,
                             const RandomKey& random, const Workplace& workplace,
                             TrainingSetWriter& into)
    : spec_(spec),
      undeclared_(spec.Declaration().status()),
      declaration_(DeclarationOf(spec)),
      instance_(std::move(instance)),
      random_(random),
      workplace_(workplace),
      into_(into),
      candidates_(declaration_, workplace) {}

absl::Status PluginChooser::Add(const Candidates& candidates) {
  return candidates_.Add(candidates);
}

absl::Status PluginChooser::Finish() {
  RETURN_IF_ERROR(undeclared_);
  const bool has_model = workplace_.facts != nullptr && workplace_.facts->has_model();
  if (declaration_.AsksModel() && !has_model) {
    notes_.remarks.emplace_back("the run had no model yet, so all candidates were chosen");
    return ChooseAll();
  }
  if (candidates_.all().size() == 0) return into_.Open(/*weighted=*/false);
  auto choice = Consult();
  const auto has_died = [&] { return absl::IsUnavailable(fault_) && !plugin::IsOfMachine(fault_); };
  // Once more from the beginning: the process that died has taken with it what it was shown.
  if (has_died()) {
    instance_->NoteDeath(fault_);
    choice = Consult();
  }
  if (!fault_.ok()) return ChooseAfterFault();
  RETURN_IF_ERROR(choice.status());
  notes_.num_left_out = candidates_.all().size() - candidates_.shown().size();
  return choice->WriteTo(into_);
}

absl::StatusOr<PluginChoice> PluginChooser::Consult() {
  fault_ = instance_->Created().status();
  RETURN_IF_ERROR(fault_);
  PluginChoice choice(workplace_.folder, workplace_.memory_budget / 8, candidates_.all().size());
  RETURN_IF_ERROR(candidates_.ForEach(
      [&](std::span<const batch::Batch> block) { return Show(block, choice); }));
  if (candidates_.shown().size() > 0) RETURN_IF_ERROR(AskForChoice(choice));
  if (const absl::Status whole = choice.CheckWhole(); !whole.ok()) return Refuse("choose", whole);
  return choice;
}

absl::Status PluginChooser::Show(std::span<const batch::Batch> block, PluginChoice& choice) {
  ASSIGN_OR_RETURN(const json answer, Ask([&](HostProcess& host) -> absl::StatusOr<json> {
                     ASSIGN_OR_RETURN(json said, host.AddPieces(block));
                     said["call"] = "add";
                     return said;
                   }));
  // Most plug-ins choose at the end.
  return answer.contains("columns") ? TakeRows(answer, "add", choice) : absl::OkStatus();
}

absl::Status PluginChooser::AskForChoice(PluginChoice& choice) {
  const int64_t num_candidates = candidates_.shown().size();
  json request = {
      {"call", "choose"}, {"num_candidates", num_candidates}, {"most_rows", kMaxRowsOfAnswer}};
  if (spec_.HasTarget()) request["target"] = spec_.Target(num_candidates);
  while (true) {
    const int64_t before = choice.num_rows();
    ASSIGN_OR_RETURN(const json answer, Ask([&](HostProcess&) { return request; }));
    RETURN_IF_ERROR(TakeRows(answer, "choose", choice));
    if (plugin::BoolAt(answer, "done")) return absl::OkStatus();
    if (choice.num_rows() == before) {
      return Refuse("choose", InvalidArgument("it is not done, but it chose nothing"));
    }
  }
}

absl::StatusOr<json> PluginChooser::Ask(const plugin::PluginInstance::Request& request) {
  absl::StatusOr<json> answer = instance_->CallOnce(request);
  fault_ = answer.status();
  return answer;
}

absl::Status PluginChooser::TakeRows(const json& answer, std::string_view call,
                                     PluginChoice& choice) {
  const auto rows = instance_->Columns(answer);
  if (!rows.ok()) return Refuse(call, rows.status());
  const absl::Status taken = choice.Take(*rows, candidates_.shown());
  return absl::IsInvalidArgument(taken) ? Refuse(call, taken) : taken;
}

absl::Status PluginChooser::Refuse(std::string_view call, const absl::Status& why) {
  return fault_ = InvalidArgument("{}: {}: {}", spec_.use, call, std::string(why.message()));
}

absl::Status PluginChooser::ChooseAfterFault() {
  // The machine starts no process now, which is not a fault of the plug-in. The caller retries.
  if (plugin::IsOfMachine(fault_)) return fault_;
  const std::string what(fault_.message());
  const std::string traceback = plugin::TracebackOf(fault_);
  if (spec_.on_fault == OnSelectionFault::kFail) {
    return FailedPrecondition("selection: {}{}{}", what, traceback.empty() ? "" : "\n", traceback);
  }
  notes_.fault = ChoiceFault{.what = what, .traceback = traceback};
  if (spec_.on_fault == OnSelectionFault::kAll) {
    notes_.remarks.push_back(
        fmt::format("the plug-in could not choose, so all candidates were chosen: {}", what));
    return ChooseAll();
  }
  notes_.remarks.push_back(
      fmt::format("the plug-in could not choose, so samples were drawn uniformly: {}", what));
  Uniform uniform;
  uniform.fraction = spec_.fraction;
  uniform.samples = spec_.samples;
  const std::unique_ptr<Chooser> drawn = MakeChooser(uniform, random_, workplace_, into_);
  RETURN_IF_ERROR(candidates_.all().ForEach(
      0, [&](std::span<const int64_t> keys) { return drawn->Add({.keys = keys}); }));
  return drawn->Finish();
}

absl::Status PluginChooser::ChooseAll() {
  RETURN_IF_ERROR(into_.Open(/*weighted=*/false));
  return candidates_.all().ForEach(
      0, [&](std::span<const int64_t> keys) { return into_.AddKeys(keys); });
}

std::unique_ptr<Chooser> MakeChooser(const PluginSelection& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  auto instance = InstanceOf(spec, random);
  instance->BelongTo(workplace.hosts);
  return std::make_unique<PluginChooser>(spec, std::move(instance), random, workplace, into);
}

}  // namespace tidemill::selector
