// The figures of a benchmark run that are stored: enough for checks, costs and pages, and much
// smaller than the run.
//
//   {"seconds": 23.9, "processor_seconds": 31.2, "money": 0.0004, "currency": "EUR", "triggers":
//   [{"at": ..., "samples": 1000, "seconds": {"train": 0.2, ...},
//    "weights": ...}], "active": [...], "baselines": [...],
//    "evaluations": {"windows": [["elec2", from, to, "accuracy", slice], ...],
//                    "values": [[trigger, window, value, samples], ...]}}
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "base/time.h"
#include "results/rows.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

struct TrainedModel {
  Timestamp at;
  int64_t number = 0;  // The number of its trigger.
  int64_t num_samples = 0;
  int64_t num_visited = 0;  // Over all epochs. Not stored.
  std::map<std::string, double> stage_seconds = {};
  std::string training_set = {};  // Its digest. Not stored.
  std::string weights = {};       // Their digest; empty where no check compares it.
};

struct RunFigures {
  double seconds = 0;  // From submission to the end.
  int64_t num_decisions = 0;
  double deciding_seconds = 0;
  double processor_seconds = 0;  // What the whole run used; 0 where it is unknown.
  // In the currency of the prices, if there are any.
  std::optional<double> money = std::nullopt;
  std::string currency = {};
  std::vector<TrainedModel> models;  // Without triggers that were skipped.
  int64_t num_skipped = 0;
  // The table of results. What is read from JSON has values, samples and sums alone, and times
  // instead of cuts.
  std::vector<results::Row> table;
};

RunFigures FiguresOf(const supervisor::v1::GetRunResponse& run);
nlohmann::ordered_json FiguresToJson(const RunFigures& figures);
// INVALID_ARGUMENT when FiguresToJson() did not write it.
absl::StatusOr<RunFigures> FiguresFromJson(const nlohmann::ordered_json& json);

}  // namespace tidemill::cli
