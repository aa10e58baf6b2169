// Describes a run for `tidemill top`: how its current training uses time, and the load of the
// workers that prepare its samples. Rates are differences between two looks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/preprocess/v1/preprocess.pb.h"
#include "tidemill/rpc/v1/engine.pb.h"
#include "tidemill/supervisor/v1/devices.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// The state of the dispatcher at a look.
struct PreparingLook {
  // The jobs of this run only.
  std::vector<preprocess::v1::Job> jobs = {};
  std::vector<preprocess::v1::Worker> workers = {};
  double seconds = 0;
};

// What the stack's engine starts and ends, for workers, trainer servers and evaluators.
using EngineLook = std::vector<rpc::v1::EngineGroup>;

// The state of a run at one time. Seconds come from one clock with any zero.
struct RunLook {
  int64_t run_id = 0;
  std::string pipeline = {};
  // Empty until the run reports progress.
  supervisor::v1::Progress progress = {};
  // When the progress was received.
  double seconds = 0;
  // std::nullopt when no dispatcher can be reached.
  std::optional<PreparingLook> preparing = {};
  // Empty when the supervisor does not say.
  supervisor::v1::ListDevicesResponse devices = {};
  EngineLook engines = {};
};

// Whether a job belongs to this run, by its name.
bool IsJobOf(const preprocess::v1::Job& job, int64_t run_id);

// Returns some lines for people. `before` is an earlier look. Rates are unknown without it, and
// when it is of another training or of another incarnation of a worker.
std::string DescribeLook(const std::optional<RunLook>& before, const RunLook& now);

// {"run", "pipeline", "stage", "trigger", "done", "total", "unit", "epoch", "device",
//  "start": {"select_seconds", "fit_seconds", "opening_seconds", "asking_seconds",
//            "first_batch_seconds", "first_step_seconds"}, "per_second",
//  "wait_share", "verdict", "limit", "gains": [{"change", "factor"}],
//  "ops": [{"type", "rows_per_second", "bytes_per_second", "share", "cpu_share", "rejected"}],
//  "reading_share", "found_share", "finding_share", "queueing_share", "busy_share",
//  "sending_share", "workers": [{"name", "state", "threads", "leased", "batches_per_second",
//  "bytes_per_second"}], "jobs": [{"name", "batches", "done", "issued", "leased", "reissued",
//  "wait_share"}], "devices": as DevicesToJson()}.
// Unknown values are null. Fields of trainings are left out in other stages.
nlohmann::ordered_json LookToJson(const std::optional<RunLook>& before, const RunLook& now);

}  // namespace tidemill::cli
