// A trigger plug-in as a policy: it counts and remembers what the stream shows, and asks the
// plug-in at decision points alone. So however the stream is cut into batches, the plug-in is asked
// the same.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "plugin/process/plugin_instance.h"
#include "supervisor/triggers/plugin_declaration.h"
#include "supervisor/triggers/plugin_trigger.h"
#include "supervisor/triggers/trigger_policy.h"

namespace tidemill::supervisor {

// While there is no model, one that looks at what models answer is not asked: each decision fires.
// Thread-compatible.
class PluginPolicy final : public TriggerPolicy {
 public:
  PluginPolicy(PluginTrigger spec, absl::StatusOr<PluginDeclaration> declaration,
               std::unique_ptr<plugin::PluginInstance> instance);

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const override;
  void Take(Samples samples) override;
  std::vector<EvidenceRequest> Needs(const Cut& at) const override;
  Verdict Decide(const Evidence& evidence) override;
  void Fired(const Cut& at) override;
  void Learn(const TrainingCost& cost) override;
  void NoModel() override;
  std::string Standing() const override;
  nlohmann::json Seal() const override;
  absl::Status Restore(const nlohmann::json& state) override;

  // Whether the plug-in itself observed that, and not the policy that there is no model.
  static bool IsAsked(const Observed& observed);
  // What the plug-in says of it.
  static absl::StatusOr<Verdict> Judge(plugin::PluginInstance& instance, const Observed& observed);

 private:
  // Asks the plug-in to look.
  absl::StatusOr<Observed> Observe(const Evidence& evidence);
  absl::StatusOr<nlohmann::json> TablesOf(const Evidence& evidence,
                                          plugin::HostProcess& host) const;
  absl::StatusOr<nlohmann::json> SamplesTable(const DeclaredEvidence& evidence,
                                              plugin::HostProcess& host) const;
  // From where on evidence is looked at.
  std::optional<Cut> From(Since since) const;
  bool WaitsForModel() const { return declaration_.AsksModel() && !has_model_; }
  // The answer where the plug-in has none.
  Verdict AfterFault(const absl::Status& fault) const;
  // Notes what the plug-in will be told at the next decision.
  void Tell(nlohmann::json event);
  // Moves behind the decision.
  void Pass(const Cut& at);

  const PluginTrigger spec_;
  // Why there is no declaration; then every decision is a fault.
  const absl::Status undeclared_;
  const PluginDeclaration declaration_;
  const std::unique_ptr<plugin::PluginInstance> instance_;
  std::variant<SampleGrid, PeriodGrid> grid_;
  // Where it last decided, and where the run last trained.
  std::optional<Cut> decided_;
  std::optional<Cut> trained_;
  bool has_model_ = false;
  // What came since the last decision, as the plug-in will be told.
  nlohmann::json events_ = nlohmann::json::array();
  // Of the samples since then, where the plug-in looks at them.
  bool keeps_samples_ = false;
  // The last so many are looked at; 0 for all.
  size_t most_samples_ = 0;
  std::vector<int64_t> keys_;
  std::vector<int64_t> event_times_;
};

}  // namespace tidemill::supervisor
