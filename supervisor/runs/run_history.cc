#include "supervisor/runs/run_history.h"

#include <algorithm>

namespace tidemill::supervisor {
namespace {

using Curve = google::protobuf::RepeatedPtrField<rpc::v1::LossPoint>;

Curve Thinned(const Curve& curve, int most) {
  if (curve.size() <= most) return curve;
  Curve thinned;
  for (int64_t i = 1; i <= most; ++i) {
    *thinned.Add() = curve.Get(static_cast<int>(i * curve.size() / most - 1));
  }
  return thinned;
}

v1::Trigger* Find(v1::GetRunResponse& response, int64_t number) {
  if (number < 1 || number > response.triggers_size()) return nullptr;
  return response.mutable_triggers(static_cast<int>(number - 1));
}

}  // namespace

void AddHistory(const std::vector<EventRow>& events, v1::GetRunResponse& response,
                int most_loss_points) {
  const int most = std::max(1, most_loss_points / std::max(1, response.triggers_size()));
  for (const EventRow& row : events) {
    v1::Trigger* trigger = Find(response, row.shown.trigger());
    if (trigger == nullptr) continue;
    switch (row.event.kind_case()) {
      case v1::RunEvent::kTriggerFired:
        *trigger->mutable_fired_at() = row.shown.at();
        break;
      case v1::RunEvent::kModelTrained:
        *trigger->mutable_result()->mutable_loss_curve() =
            Thinned(row.event.model_trained().result().loss_curve(), most);
        break;
      case v1::RunEvent::kModelStored:
        *trigger->mutable_stored_at() = row.shown.at();
        break;
      default:
        break;
    }
  }
}

void AddEvents(const std::vector<EventRow>& events, v1::GetRunResponse& response) {
  for (const EventRow& row : events) {
    v1::RecordedEvent& recorded = *response.add_events();
    recorded.set_sequence(row.shown.sequence());
    *recorded.mutable_at() = row.shown.at();
    *recorded.mutable_event() = row.event;
    if (row.event.has_model_trained()) {
      recorded.mutable_event()->mutable_model_trained()->mutable_result()->clear_loss_curve();
    }
  }
}

}  // namespace tidemill::supervisor
