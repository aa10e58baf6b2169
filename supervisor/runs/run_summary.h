// The rows of the view supervisor.run_summaries. The functions throw what libpqxx throws;
// db::Database::Transact catches it.
#pragma once

#include <string>
#include <vector>

#include "tidemill/supervisor/v1/supervisor.pb.h"
#include <pqxx/pqxx>

namespace tidemill::supervisor {

// The columns that SummaryOf() reads, where the view is called `s`.
inline constexpr char kSummaryColumns[] = R"(
  s.run_id, s.pipeline_name, s.state, s.error, s.num_triggers, s.num_samples, s.note, s.is_trial,
  s.sweep, s.sweep_setting, s.sweep_rung,
  array_to_string(s.tags, ',') AS tags,
  (extract(epoch FROM s.started_at) * 1000000)::bigint AS started_micros,
  (extract(epoch FROM s.finished_at) * 1000000)::bigint AS finished_micros)";

v1::Run SummaryOf(const pqxx::row& row);

// Returns the words as the text of an array for PostgreSQL: "{a,b}". They are names or constants,
// which need no quoting.
std::string ArrayOf(const std::vector<std::string>& words);

}  // namespace tidemill::supervisor
