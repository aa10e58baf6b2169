#include "supervisor/backtest/asked_models.h"

#include <utility>

#include "fmt/format.h"

namespace tidemill::supervisor {

absl::StatusOr<EvidenceTable> ModelAnswers::Read(const ActiveModel& model,
                                                 const EvidenceRequest& request) {
  Answers& answers = of_model_[model.model_id];
  if (answers.evidence == nullptr) {
    ASSIGN_OR_RETURN(answers.evidence, open_(model));
  }
  answers.last_use = ++num_uses_;
  ASSIGN_OR_RETURN(EvidenceTable table, answers.evidence->Read(request));
  MakeRoom(model.model_id);
  return table;
}

void ModelAnswers::MakeRoom(int64_t kept) {
  int64_t bytes = 0;
  for (const auto& [id, answers] : of_model_) {
    if (answers.evidence != nullptr) bytes += answers.evidence->num_bytes();
  }
  while (bytes > max_bytes_) {
    auto oldest = of_model_.end();
    for (auto it = of_model_.begin(); it != of_model_.end(); ++it) {
      if (it->first == kept || it->second.evidence == nullptr) continue;
      if (oldest == of_model_.end() || it->second.last_use < oldest->second.last_use) oldest = it;
    }
    if (oldest == of_model_.end()) return;
    bytes -= oldest->second.evidence->num_bytes();
    of_model_.erase(oldest);
  }
}

void AskedModels::Fired(const Cut& at, const Cut& last) {
  CountLast();
  ++num_fired_;
  trained_to_ = at;
  last_sample_ = last;
}

void AskedModels::CountLast() {
  if (!last_sample_) return;
  const StoredModels::Model* const model = models_.At(*trained_to_);
  const bool alike = model != nullptr && model->at > *last_sample_;
  if (!alike) ++num_between_;
  if (alike && model->trigger != num_fired_) ++num_renumbered_;
  if (num_fired_ == 1) begins_alike_ = alike && model == &models_.models().front();
  last_sample_.reset();
}

absl::StatusOr<EvidenceTable> AskedModels::Read(const EvidenceRequest& request) {
  if (!IsOfModel(request.kind)) return samples_.Read(request);
  const StoredModels::Model* const model = trained_to_ ? models_.At(*trained_to_) : nullptr;
  if (model == nullptr) {
    return FailedPrecondition(
        "the policy needs a model on {}, but run {} trained its first model on {}; let the policy "
        "begin then, with `first` or --from, or name a run that trains earlier",
        FormatTimestamp(request.to.event_time), models_.run_id(),
        FormatTimestamp(models_.models().front().at.event_time));
  }
  return answers_.Read(model->model, request);
}

std::vector<std::string> AskedModels::Differences() const {
  std::vector<std::string> differences;
  if (num_between_ > 0) {
    differences.push_back(fmt::format(
        "{} of {} triggers are between those of run {}, so the model before was used for them",
        num_between_, num_fired_, models_.run_id()));
  }
  if (models_.depends_on_number() && num_renumbered_ > 0) {
    differences.push_back(fmt::format(
        "{} of {} trainings would draw new beginnings and orders, because they have other "
        "numbers in run {}; with `training: {{reuse: true}}`, draws depend on the training set",
        num_renumbered_, num_fired_, models_.run_id()));
  }
  if (models_.depends_on_first() && !begins_alike_) {
    differences.push_back(
        fmt::format("ops learned at the first trigger of run {}, which is not that of the policy",
                    models_.run_id()));
  }
  differences.insert(differences.end(), models_.differences().begin(), models_.differences().end());
  return differences;
}

}  // namespace tidemill::supervisor
