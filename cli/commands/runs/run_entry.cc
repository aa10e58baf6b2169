#include "cli/commands/runs/run_entry.h"

#include <string>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "cli/results/run_json.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

double SecondsOf(const google::protobuf::Timestamp& time) {
  return static_cast<double>(time.seconds()) + 1e-9 * time.nanos();
}

std::string TagsOf(const v1::Run& run) { return fmt::format("{}", fmt::join(run.tags(), " ")); }

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

// "0.7753", with * where no model was in use.
std::string ScoreCell(const v1::Run& run) {
  if (!run.has_score()) return "-";
  return Measure(run.score().value()) + (run.score().is_of_last_model() ? "*" : "");
}

std::string BaselineCell(const v1::RunScore& score) {
  if (!score.has_baseline()) return "-";
  return fmt::format("{} {}", Measure(score.baseline()), score.baseline_name());
}

double DurationOf(const v1::Run& run, double now_seconds) {
  const double end = run.has_finished_at() ? SecondsOf(run.finished_at()) : now_seconds;
  return std::max(0.0, end - SecondsOf(run.started_at()));
}

nlohmann::ordered_json ScoreToJson(const v1::Run& run) {
  if (!run.has_score()) return nullptr;
  const v1::RunScore& score = run.score();
  nlohmann::ordered_json json = {{"dataset", score.dataset()},
                                 {"measure", score.measure()},
                                 {"value", score.value()},
                                 {"samples", score.num_samples()},
                                 {"lower_is_better", score.lower_is_better()},
                                 {"of_last_model", score.is_of_last_model()}};
  json["baseline"] = score.has_baseline() ? nlohmann::ordered_json(score.baseline())
                                          : nlohmann::ordered_json(nullptr);
  if (score.has_baseline()) json["baseline_name"] = score.baseline_name();
  return json;
}

}  // namespace

const std::vector<ListColumn>& RunColumns() {
  static const std::vector<ListColumn> columns = {
      {.key = "run", .header = "RUN"},
      {.key = "pipeline", .header = "PIPELINE"},
      {.key = "state", .header = "STATE"},
      {.key = "measure", .header = "MEASURE"},
      {.key = "score", .header = "SCORE"},
      {.key = "baseline", .header = "BASELINE"},
      {.key = "baseline_name", .header = ""},
      {.key = "dataset", .header = "DATASET", .only_wide = true},
      {.key = "triggers", .header = "TRIGGERS"},
      {.key = "samples", .header = "SAMPLES", .only_wide = true},
      {.key = "seconds", .header = "DURATION"},
      {.key = "started_at", .header = "STARTED"},
      {.key = "finished_at", .header = "FINISHED", .only_wide = true},
      {.key = "tags", .header = "TAGS"},
      {.key = "note", .header = "NOTE", .only_wide = true},
      {.key = "error", .header = "ERROR", .only_wide = true}};
  return columns;
}

ListEntry EntryOf(const v1::Run& run, double now_seconds) {
  const double seconds = DurationOf(run, now_seconds);
  const v1::RunScore& score = run.score();
  const std::string started = TimeOf(run.started_at());
  const std::string finished = run.has_finished_at() ? TimeOf(run.finished_at()) : "";
  const std::string id = std::to_string(run.run_id());
  const std::string triggers = std::to_string(run.num_triggers());
  ListEntry entry;
  entry.cells = {
      id,
      run.pipeline_name(),
      StateName(run.state()),
      OrDash(score.measure()),
      ScoreCell(run),
      BaselineCell(score),
      "",
      OrDash(score.dataset()),
      triggers,
      WithThousands(run.num_samples()),
      Elapsed(seconds),
      FormatTimestamp({run.started_at().seconds() * 1'000'000}),
      run.has_finished_at() ? FormatTimestamp({run.finished_at().seconds() * 1'000'000}) : "-",
      OrDash(TagsOf(run)),
      OrDash(run.note()),
      OrDash(run.error())};
  entry.values = {id,
                  run.pipeline_name(),
                  StateName(run.state()),
                  score.measure(),
                  run.has_score() ? fmt::format("{}", score.value()) : "",
                  score.has_baseline() ? fmt::format("{}", score.baseline()) : "",
                  score.baseline_name(),
                  score.dataset(),
                  triggers,
                  std::to_string(run.num_samples()),
                  fmt::format("{:.3f}", seconds),
                  started,
                  finished,
                  TagsOf(run),
                  run.note(),
                  run.error()};
  nlohmann::ordered_json json = RunToJson(run);
  json["seconds"] = seconds;
  json["score"] = ScoreToJson(run);
  entry.json = json.dump();
  return entry;
}

}  // namespace tidemill::cli
