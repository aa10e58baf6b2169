#include "supervisor/conductor/model_retirer.h"

#include "base/failpoints.h"

namespace tidemill::supervisor {

absl::Status ModelRetirer::Retire() {
  auto retired = ToRetire(record_.state(), record_.plan());
  if (!retired) return absl::OkStatus();
  RETURN_IF_ERROR(record_.KeepModelsInUse(*retired));
  RETURN_IF_ERROR(patience_.RetryTransient([&] {
    return downstream_.Retire(record_.CommandFor("retire", record_.state().num_stored()), *retired,
                              slots_.Trainers());
  }));
  FAILPOINT("supervisor.after_retire");
  v1::RunEvent event;
  *event.mutable_models_retired() = *retired;
  return record_.Record(event);
}

}  // namespace tidemill::supervisor
