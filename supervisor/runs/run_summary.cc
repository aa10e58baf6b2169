#include "supervisor/runs/run_summary.h"

#include <string_view>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "google/protobuf/util/time_util.h"

namespace tidemill::supervisor {
namespace {

google::protobuf::Timestamp FromMicros(const pqxx::field& micros) {
  return google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(micros.as<int64_t>());
}

void AddTags(std::string_view joined, v1::Run& run) {
  while (!joined.empty()) {
    const size_t end = std::min(joined.find(','), joined.size());
    run.add_tags(std::string(joined.substr(0, end)));
    joined.remove_prefix(std::min(end + 1, joined.size()));
  }
}

}  // namespace

v1::Run SummaryOf(const pqxx::row& row) {
  v1::Run run;
  run.set_run_id(row["run_id"].as<int64_t>());
  run.set_pipeline_name(row["pipeline_name"].as<std::string>());
  v1::RunState state = v1::RUN_STATE_UNSPECIFIED;
  v1::RunState_Parse(row["state"].as<std::string>(), &state);
  run.set_state(state);
  run.set_error(row["error"].as<std::string>());
  run.set_num_triggers(row["num_triggers"].as<int64_t>());
  run.set_num_samples(row["num_samples"].as<int64_t>());
  run.set_note(row["note"].as<std::string>());
  run.set_is_trial(row["is_trial"].as<bool>());
  if (const auto sweep = row["sweep"].as<std::string>(); !sweep.empty()) {
    v1::InSweep& place = *run.mutable_in_sweep();
    place.set_sweep(sweep);
    place.set_setting(row["sweep_setting"].as<int32_t>());
    place.set_rung(row["sweep_rung"].as<int32_t>());
  }
  AddTags(row["tags"].as<std::string>(), run);
  *run.mutable_started_at() = FromMicros(row["started_micros"]);
  if (!row["finished_micros"].is_null()) {
    *run.mutable_finished_at() = FromMicros(row["finished_micros"]);
  }
  return run;
}

std::string ArrayOf(const std::vector<std::string>& words) {
  return fmt::format("{{{}}}", fmt::join(words, ","));
}

}  // namespace tidemill::supervisor
