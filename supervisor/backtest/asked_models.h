// The answers of a run's models, for policies that are tried on history.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "supervisor/backtest/stored_models.h"
#include "supervisor/evidence/stored_evidence.h"
#include "supervisor/triggers/evidence.h"

namespace tidemill::supervisor {

// The answers of all models, for all policies of a backtest, so that each answer is computed once.
// Beyond its budget it forgets the least recently used model. Thread-compatible.
class ModelAnswers {
 public:
  using Open =
      std::function<absl::StatusOr<std::unique_ptr<StoredEvidence>>(const ActiveModel& model)>;
  static constexpr int64_t kMaxBytes = int64_t{256} << 20;

  explicit ModelAnswers(Open open, int64_t max_bytes = kMaxBytes)
      : open_(std::move(open)), max_bytes_(max_bytes) {}

  absl::StatusOr<EvidenceTable> Read(const ActiveModel& model, const EvidenceRequest& request);

 private:
  struct Answers {
    std::unique_ptr<StoredEvidence> evidence;
    int64_t last_use = 0;  // A greater number is a later use.
  };
  void MakeRoom(int64_t kept);

  const Open open_;
  const int64_t max_bytes_;
  int64_t num_uses_ = 0;
  std::map<int64_t, Answers> of_model_;  // By the id of the model.
};

// The evidence of one policy. Its active model is the newest one that the run had trained by the
// policy's last trigger. Thread-compatible.
class AskedModels final : public EvidenceSource {
 public:
  // `samples` supplies the evidence that does not depend on a model. All must outlive this object.
  AskedModels(const StoredModels& models, ModelAnswers& answers, EvidenceSource& samples)
      : models_(models), answers_(answers), samples_(samples) {}

  // The policy has fired at a cut. `last` is the last sample before it.
  void Fired(const Cut& at, const Cut& last);
  // No sample is between the last trigger and `next`.
  void Extend(const Cut& next) { trained_to_ = next; }
  // No further trigger follows.
  void Finish() { CountLast(); }

  // FAILED_PRECONDITION when the policy asks a model before the run has one.
  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override;

  // The triggers at which the run has no model that was trained on the same samples.
  int64_t num_between() const { return num_between_; }
  // Why a run of the policy could have had different models. Empty when it would have had the same
  // models.
  std::vector<std::string> Differences() const;

 private:
  void CountLast();

  const StoredModels& models_;
  ModelAnswers& answers_;
  EvidenceSource& samples_;
  std::optional<Cut> trained_to_;   // Absent before the first trigger.
  std::optional<Cut> last_sample_;  // Before the last trigger; absent once it is counted.
  int64_t num_fired_ = 0;
  int64_t num_between_ = 0;
  int64_t num_renumbered_ = 0;  // The triggers that have another number in the run.
  bool begins_alike_ = true;    // Whether the first models of both were trained at the same cut.
};

}  // namespace tidemill::supervisor
