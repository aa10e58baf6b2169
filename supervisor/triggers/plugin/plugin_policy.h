// A trigger plug-in as a policy: it counts the samples of the stream, and calls the plug-in only at
// decision points. So the calls do not depend on how the stream is cut into batches.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "plugin/process/plugin_instance.h"
#include "supervisor/triggers/plugin/plugin_declaration.h"
#include "supervisor/triggers/plugin/plugin_trigger.h"
#include "supervisor/triggers/trigger_policy.h"

namespace tidemill::supervisor {

// While there is no model, a plug-in that needs the answers of a model is not called: each decision
// fires. Thread-compatible.
class PluginPolicy final : public TriggerPolicy {
 public:
  PluginPolicy(PluginTrigger spec, absl::StatusOr<PluginDeclaration> declaration,
               std::unique_ptr<plugin::PluginInstance> instance);

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const override;
  void Take(Samples samples) override;
  std::vector<EvidenceRequest> Needs(const Cut& at) const override;
  absl::StatusOr<Verdict> Decide(const Evidence& evidence) override;
  void Fired(const Cut& at) override;
  void Learn(const TrainingCost& cost) override;
  void NoModel() override;
  void BelongTo(const std::shared_ptr<plugin::RunHosts>& run) override { instance_->BelongTo(run); }
  std::string Standing() const override;
  nlohmann::json Seal() const override;
  absl::Status Restore(const nlohmann::json& sealed) override;
  // For sealed_state.h: all but the state of the plug-in.
  void Fields(auto&& field) {
    field("grid", grid_);
    field("decided", decided_);
    field("trained", trained_);
    field("has_model", has_model_);
    field("events", events_);
    field("keys", keys_);
    field("event_times", event_times_);
  }

  // Whether the plug-in made the observation, rather than the policy, which observes that there is
  // no model.
  static bool IsAsked(const Observed& observed);
  // Returns the plug-in's verdict.
  static absl::StatusOr<Verdict> Judge(plugin::PluginInstance& instance, const Observed& observed);

 private:
  // Asks the plug-in for its observation.
  absl::StatusOr<Observed> Observe(const Evidence& evidence);
  absl::StatusOr<nlohmann::json> TablesOf(const Evidence& evidence,
                                          plugin::HostProcess& host) const;
  absl::StatusOr<nlohmann::json> SamplesTable(const DeclaredEvidence& evidence,
                                              plugin::HostProcess& host) const;
  // Returns the cut at which evidence begins.
  std::optional<Cut> From(Since since) const;
  bool WaitsForModel() const { return declaration_.AsksModel() && !has_model_; }
  // Returns the answer that replaces the plug-in's answer. FAILED_PRECONDITION when the fault ends
  // the run, UNAVAILABLE after a failure of the machine, when the decision can be retried.
  absl::StatusOr<Verdict> AfterFault(const absl::Status& fault) const;
  // Notes an event that is sent to the plug-in at the next decision.
  void Tell(nlohmann::json event);
  // Moves to right after the decision.
  void Pass(const Cut& at);

  const PluginTrigger spec_;
  // Why the plug-in has no declaration. Every decision is then a fault.
  const absl::Status undeclared_;
  const PluginDeclaration declaration_;
  const std::unique_ptr<plugin::PluginInstance> instance_;
  std::variant<SampleGrid, PeriodGrid> grid_;
  // Where it last decided, and where the run last trained.
  std::optional<Cut> decided_;
  std::optional<Cut> trained_;
  bool has_model_ = false;
  // The events since the last decision, which are sent to the plug-in.
  nlohmann::json events_ = nlohmann::json::array();
  // Whether to keep the samples since then, because the plug-in reads them.
  bool keeps_samples_ = false;
  // The number of newest samples to keep; 0 for all.
  size_t most_samples_ = 0;
  std::vector<int64_t> keys_;
  std::vector<int64_t> event_times_;
};

}  // namespace tidemill::supervisor
