#include "cli/run_directory/run_tables.h"

#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "cli/results/ledger.h"
#include "cli/results/run_json.h"
#include "cli/terminal/csv.h"
#include "results/columns.h"
#include "results/rows.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

constexpr const char* kStages[] = {"select", "fit", "train", "store"};

double SecondsOf(const v1::Trigger& trigger, const std::string& stage) {
  const auto at = trigger.stage_seconds().find(stage);
  return at == trigger.stage_seconds().end() ? 0 : at->second;
}

using results::Row;

std::optional<double> ValueOf(const Row& row) {
  return row.has_value() ? std::optional(row.value()) : std::nullopt;
}

ordered_json Number(const Row& row) {
  return row.has_value() && std::isfinite(row.value()) ? ordered_json(row.value())
                                                       : ordered_json(nullptr);
}

// A cell of CSV. Text is not quoted as JSON.
std::string CellOf(const ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return CsvCell(value.get<std::string>());
  if (value.is_number_float()) return CsvCell(value.get<double>());
  return CsvCell(value.dump());
}

std::string NumberOrEmpty(int64_t number) { return number == 0 ? "" : std::to_string(number); }

// A line of metrics.csv about a trigger.
std::string OfTrigger(const std::string& metric, const v1::Trigger& trigger, double value) {
  return CsvLine(metric, trigger.number(), "", TimeOf(trigger.at()), "", value, "", "");
}

// From the first to the last window on which the model was measured.
ordered_json RowOf(const ResultTable& table, size_t row) {
  const auto& cells = table.cells[row];
  ordered_json values = ordered_json::array();
  const size_t first = cells.empty() ? 0 : cells.begin()->first;
  for (size_t column = first; !cells.empty() && column <= cells.rbegin()->first; ++column) {
    const auto cell = cells.find(column);
    values.push_back(cell == cells.end() ? ordered_json(nullptr) : Number(*cell->second));
  }
  return {{"trigger", table.triggers[row]}, {"first_window", first}, {"values", std::move(values)}};
}

ordered_json WindowsOf(const ResultTable& table) {
  ordered_json windows = ordered_json::array();
  for (size_t column = 0; column < table.windows.size(); ++column) {
    const ResultWindow& window = table.windows[column];
    windows.push_back({{"from", FormatTimestamp(window.from.event_time)},
                       {"to", FormatTimestamp(window.to.event_time)},
                       {"from_key", window.from.sample_key.value},
                       {"to_key", window.to.sample_key.value},
                       {"samples", window.num_samples},
                       {"active", table.active[column]},
                       {"trained", table.trained[column]}});
  }
  return windows;
}

std::string Dumped(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string MetricsCsv(const v1::GetRunResponse& run) {
  std::string csv = "metric,trigger,samples,from,to,value,low,high\n";
  for (const v1::Trigger& trigger : run.triggers()) {
    for (const auto& point : trigger.result().loss_curve()) {
      csv += CsvLine("loss/train", trigger.number(), point.num_samples(), "", "", point.loss(), "",
                     "");
      if (point.has_validation_loss()) {
        csv += CsvLine("loss/validation", trigger.number(), point.num_samples(), "", "",
                       point.validation_loss(), "", "");
      }
    }
    csv += OfTrigger("trigger/samples", trigger, static_cast<double>(trigger.num_samples()));
    if (trigger.skip_reason().empty())
      csv += OfTrigger("trigger/loss", trigger, trigger.result().loss());
    for (const char* stage : kStages) {
      csv += OfTrigger(std::string("trigger/seconds_") + stage, trigger, SecondsOf(trigger, stage));
    }
  }
  const auto add = [&](const std::string& series_name, const results::Rows& series) {
    for (const Row* row : series) {
      const std::string& baseline = row->baseline();
      const std::string name = baseline.empty() ? series_name : series_name + "_" + baseline;
      csv += CsvLine(name + "/" + row->measure() + "/" + row->dataset_name(), row->trigger(),
                     row->num_samples(), TimeOf(row->from()), TimeOf(row->to()), ValueOf(*row),
                     row->has_low() ? std::optional(row->low()) : std::nullopt,
                     row->has_high() ? std::optional(row->high()) : std::nullopt);
    }
  };
  add("active", results::Active(run.results()));
  add("trained", results::Trained(run.results()));
  add("baseline", results::Baselines(run.results()));
  return csv;
}

std::string TriggersCsv(const v1::GetRunResponse& run) {
  std::string csv =
      "trigger,at,fired_at,stored_at,samples,candidates,late,bad,model,device,loss,"
      "seconds_select,seconds_fit,seconds_train,seconds_store,training_set_digest,weights_digest,"
      "skip_reason,new,known,used,unlabelled,filtered,not_reached,skipped,at_key,"
      "reused_from_run,reused_from_trigger\n";
  for (const v1::Trigger& trigger : run.triggers()) {
    csv += CsvLine(trigger.number(), TimeOf(trigger.at()), TimeOf(trigger.fired_at()),
                   trigger.has_stored_at() ? TimeOf(trigger.stored_at()) : "",
                   trigger.num_samples(), trigger.num_candidates(), trigger.num_late(),
                   trigger.ledger().num_bad(), trigger.model_id(), trigger.result().device(),
                   trigger.result().loss(), SecondsOf(trigger, "select"), SecondsOf(trigger, "fit"),
                   SecondsOf(trigger, "train"), SecondsOf(trigger, "store"),
                   trigger.training_set_digest(), trigger.weights_digest(), trigger.skip_reason(),
                   trigger.num_new(), trigger.ledger().num_known(), trigger.ledger().num_used(),
                   trigger.ledger().num_unlabelled(), trigger.ledger().num_filtered(),
                   trigger.ledger().num_not_reached(), trigger.ledger().num_skipped(),
                   trigger.at().sample_key(), NumberOrEmpty(trigger.reused_from().run_id()),
                   NumberOrEmpty(trigger.reused_from().trigger()));
  }
  return csv;
}

std::string MatrixCsv(const v1::GetRunResponse& run) {
  std::string csv = "evaluation";
  for (const results::Column& column : results::Columns()) {
    if (column.in_csv) csv += fmt::format(",{}", column.name);
  }
  csv += '\n';
  for (const Row* row : results::Select(run.results(), results::IsOfModel)) {
    csv += std::to_string(row->evaluation() + 1);
    for (const results::Column& column : results::Columns()) {
      if (column.in_csv) csv += "," + CellOf(column.of(*row));
    }
    csv += '\n';
  }
  return csv;
}

// Rows one after the other: there may be thousands, and their objects would take ten times the
// memory of their text.
std::string MatrixJson(const std::vector<ResultTable>& tables) {
  std::string json = "[";
  for (const ResultTable& table : tables) {
    const std::string head = Dumped({{"evaluation", table.evaluation + 1},
                                     {"dataset", table.dataset},
                                     {"measure", table.measure},
                                     {"lower_is_better", table.lower_is_better},
                                     {"windows", WindowsOf(table)}});
    json += fmt::format("{}\n{},\n \"models\": [", json.size() > 1 ? "," : "",
                        std::string_view(head).substr(0, head.size() - 1));
    for (size_t row = 0; row < table.triggers.size(); ++row) {
      json += fmt::format("{}\n  {}", row > 0 ? "," : "", Dumped(RowOf(table, row)));
    }
    json += "]}";
  }
  return json + "\n]\n";
}

}  // namespace tidemill::cli
