#include "supervisor/runs/old_events.h"

namespace tidemill::supervisor {
namespace {

// The figures of a training stood beside those of its stage.
void UpgradeEvent(v1::ModelTrained& trained) {
  if (trained.has_result()) return;
  rpc::v1::TrainingResult& result = *trained.mutable_result();
  result.set_num_skipped(trained.num_skipped());
  result.set_device(trained.device());
  result.set_loss(trained.loss());
  result.set_verdict(trained.verdict());
  result.mutable_loss_curve()->Swap(trained.mutable_loss_curve());
  if (trained.has_downsampling())
    result.mutable_downsampling()->Swap(trained.mutable_downsampling());
  trained.clear_num_skipped();
  trained.clear_device();
  trained.clear_loss();
  trained.clear_verdict();
  trained.clear_downsampling();
}

}  // namespace

void UpgradeEvent(v1::RunEvent& event) {
  if (event.has_model_trained()) UpgradeEvent(*event.mutable_model_trained());
}

}  // namespace tidemill::supervisor
