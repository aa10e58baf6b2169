// A selection plug-in as a policy: it keeps the candidates, shows them to the plug-in at the end,
// and writes the plug-in's choice. So the plug-in is shown the same blocks, however the candidates
// were cut into pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "nlohmann/json.hpp"

#include "base/numbers/random.h"
#include "base/status.h"
#include "plugin/process/plugin_instance.h"
#include "selector/choosing/chooser.h"
#include "selector/policies/plugin/plugin_choice.h"
#include "selector/policies/plugin/plugin_selection.h"
#include "selector/policies/plugin/shown_candidates.h"

namespace tidemill::selector {

// The plug-in with its seed and its lots, which follow from `random`. Nothing is started yet.
std::unique_ptr<plugin::PluginInstance> InstanceOf(const PluginSelection& spec,
                                                   const RandomKey& random);

// While the run has no model, a plug-in that needs a model's answers is not called: all candidates
// are chosen, with a remark. When the plug-in's process dies, a new process is shown all candidates
// again: the choice is a pure function, so a killed process changes nothing. Thread-compatible.
class PluginChooser final : public Chooser {
 public:
  // `random` names the trigger; `instance` was made by InstanceOf(), and may be running
  // already.
  PluginChooser(const PluginSelection& spec, std::unique_ptr<plugin::PluginInstance> instance,
                const RandomKey& random, const Workplace& workplace, TrainingSetWriter& into);

  absl::Status Add(const Candidates& candidates) override;
  absl::Status Finish() override;
  ChoiceNotes notes() const override { return notes_; }

 private:
  // Shows all candidates and asks for the choice. A failure of the plug-in is also stored in
  // `fault_`.
  absl::StatusOr<PluginChoice> Consult();
  absl::Status Show(std::span<const batch::Batch> block, PluginChoice& choice);
  // Asks for parts of the choice until it is complete.
  absl::Status AskForChoice(PluginChoice& choice);
  absl::StatusOr<nlohmann::json> Ask(const plugin::PluginInstance::Request& request);
  absl::Status TakeRows(const nlohmann::json& answer, std::string_view call, PluginChoice& choice);
  // Notes an invalid answer as a fault, with the plug-in's name.
  absl::Status Refuse(std::string_view call, const absl::Status& why);
  absl::Status ChooseAfterFault();
  absl::Status ChooseAll();

  const PluginSelection spec_;
  // Why the plug-in has no declaration. It then makes no choice.
  absl::Status undeclared_;
  SelectionDeclaration declaration_;
  const std::unique_ptr<plugin::PluginInstance> instance_;
  // The caller owns the text of its purpose, which outlives this object.
  const RandomKey random_;
  const Workplace workplace_;
  TrainingSetWriter& into_;
  ShownCandidates candidates_;
  absl::Status fault_;
  ChoiceNotes notes_;
};

}  // namespace tidemill::selector
