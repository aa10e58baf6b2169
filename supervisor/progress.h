// What a run is busy with, for those who watch it.
#pragma once

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

inline v1::Progress ProgressOf(const char* stage, int64_t done, int64_t total, const char* unit) {
  v1::Progress progress;
  progress.set_stage(stage);
  progress.set_done(done);
  progress.set_total(total);
  progress.set_unit(unit);
  return progress;
}

}  // namespace tidemill::supervisor
