#include "cli/plugins/plugin_trial.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fmt/format.h"

#include "base/files.h"
#include "base/numbers/thousands.h"
#include "cli/terminal/text.h"
#include "evaluator/trials/measure_promises.h"
#include "plugin/process/taken_plugin.h"
#include "selector/trials/selection_promises.h"
#include "storage/trials/format_promises.h"
#include "supervisor/trials/trigger_promises.h"
#include "supervisor/triggers/trigger.h"
#include "trainer_server/downsampling/spec/score_declaration.h"
#include "trainer_server/trials/score_promises.h"
#include "transform/script/script_protocol.h"
#include "transform/trials/op_promises.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

// The start of a section of a pipeline that is a plug-in.
constexpr std::string_view kChoice = "type: plugin\n";

absl::StatusOr<PluginTrial> TryTrigger(const NamedPlugin& named, const TrialSize& size) {
  ASSIGN_OR_RETURN(
      const auto spec,
      SpecOf<supervisor::TriggerSpec>(
          named, kChoice, [](supervisor::TriggerSpec& trigger, auto& files, auto& problems) {
            trigger->TakeFiles(files, problems);
          }));
  ASSIGN_OR_RETURN(auto trial, supervisor::trials::TryTrigger(spec, size.num_samples, size.step));
  return PluginTrial{
      .kind = "trigger",
      .summary = fmt::format("{} decisions over {} samples, {:.2f} ms each",
                             WithThousands(trial.num_decisions), WithThousands(trial.num_samples),
                             trial.milliseconds_per_decision),
      .numbers = {{"samples", trial.num_samples},
                  {"decisions", trial.num_decisions},
                  {"fired", trial.num_fired},
                  {"milliseconds_per_decision", trial.milliseconds_per_decision}},
      .promises = std::move(trial.promises)};
}

absl::StatusOr<PluginTrial> TrySelection(const NamedPlugin& named, const TrialSize& size) {
  ASSIGN_OR_RETURN(
      const auto spec,
      SpecOf<selector::SelectionSpec>(
          named, kChoice, [](selector::SelectionSpec& selection, auto& files, auto& problems) {
            selection->TakeFiles(files, problems);
          }));
  ASSIGN_OR_RETURN(auto trial, selector::trials::TrySelection(spec, size.num_samples));
  return PluginTrial{
      .kind = "selection",
      .summary = fmt::format("{} of {} candidates chosen, {} candidates a second",
                             WithThousands(trial.num_chosen), WithThousands(trial.num_samples),
                             Short(trial.candidates_per_second)),
      .numbers = {{"samples", trial.num_samples},
                  {"chosen", trial.num_chosen},
                  {"left_out", trial.num_left_out},
                  {"candidates_per_second", trial.candidates_per_second}},
      .promises = std::move(trial.promises)};
}

absl::StatusOr<PluginTrial> TryScore(const NamedPlugin& named, const TrialSize& size) {
  ASSIGN_OR_RETURN(const auto use,
                   SpecOf<plugin::PluginUse>(named, "", &trainer_server::TakeScore));
  ASSIGN_OR_RETURN(auto trial, trainer_server::trials::TryScore(use, size.num_samples));
  return PluginTrial{
      .kind = "score",
      .summary = fmt::format("{} samples, {} samples a second", WithThousands(trial.num_samples),
                             Short(trial.rows_per_second)),
      .numbers = {{"samples", trial.num_samples}, {"samples_per_second", trial.rows_per_second}},
      .promises = std::move(trial.promises)};
}

// "price:float32", "image:uint8:3,32,32", "text:binary".
absl::StatusOr<transform::ColumnSchema> InputOf(const std::string& input) {
  const size_t colon = input.find(':');
  if (colon == std::string::npos || colon == 0) {
    return InvalidArgument("--input takes NAME:TYPE or NAME:TYPE:SHAPE, not '{}'", input);
  }
  const std::string type = input.substr(colon + 1);
  transform::ColumnSchema column{.name = {}, .type = batch::DataType::kBinary};
  if (type != "binary") {
    const bool has_shape = type.find(':') != std::string::npos;
    ASSIGN_OR_RETURN(column, transform::FromArgument(has_shape ? type : type + ":"));
  }
  column.name = input.substr(0, colon);
  return column;
}

absl::StatusOr<PluginTrial> TryOp(const NamedPlugin& named, const TrialSize& size) {
  const auto take = [](plugin::PluginUse& use, PluginFile& file, config::Problems& problems) {
    plugin::TakePlugin(use, "op", file, problems, {});
  };
  ASSIGN_OR_RETURN(const auto use, SpecOf<plugin::PluginUse>(named, "", take));
  std::vector<transform::ColumnSchema> inputs;
  for (const std::string& input : size.inputs) {
    ASSIGN_OR_RETURN(inputs.emplace_back(), InputOf(input));
  }
  const bool is_guess = inputs.empty();
  if (is_guess) inputs = {{.name = "a"}, {.name = "b"}};
  ASSIGN_OR_RETURN(auto trial, transform::trials::TryOp(use, inputs, size.num_samples));
  return PluginTrial{
      .kind = "op",
      .summary =
          fmt::format("{} rows{}, {} of them bad, {} rows a second", WithThousands(trial.num_rows),
                      is_guess ? " of two float32 columns, a and b, as no --input says" : "",
                      WithThousands(trial.num_bad), Short(trial.rows_per_second)),
      .numbers = {{"rows", trial.num_rows},
                  {"bad", trial.num_bad},
                  {"fits", trial.fits},
                  {"rows_per_second", trial.rows_per_second}},
      .promises = std::move(trial.promises)};
}

absl::StatusOr<PluginTrial> TryMeasure(const NamedPlugin& named, const TrialSize& size) {
  ASSIGN_OR_RETURN(
      const auto spec,
      SpecOf<evaluator::MeasureSpec>(
          named, kChoice, [](evaluator::MeasureSpec& measure, auto& files, auto& problems) {
            measure->TakeFiles(files, problems);
          }));
  ASSIGN_OR_RETURN(auto trial, evaluator::trials::TryMeasure(spec, size.num_samples));
  const auto shown = [&](std::optional<double> value) {
    return value ? fmt::format("{:.4g}{}{}", *value, trial.unit.empty() ? "" : " ", trial.unit)
                 : std::string("no value");
  };
  return PluginTrial{
      .kind = "measure",
      .summary =
          fmt::format("{} over {} samples, {} for always the same answer, {:.2f} us a sample",
                      shown(trial.value), WithThousands(trial.num_samples), shown(trial.baseline),
                      trial.microseconds_per_sample),
      .numbers = {{"samples", trial.num_samples},
                  {"value", trial.value ? ordered_json(*trial.value) : ordered_json()},
                  {"baseline", trial.baseline ? ordered_json(*trial.baseline) : ordered_json()},
                  {"unit", trial.unit},
                  {"microseconds_per_sample", trial.microseconds_per_sample},
                  {"milliseconds_per_interval", trial.milliseconds_per_interval}},
      .promises = std::move(trial.promises)};
}

absl::StatusOr<PluginTrial> TryFormat(const NamedPlugin& named, const TrialSize& size) {
  constexpr size_t kMaxFile = size_t{256} << 20;
  if (size.file.empty()) {
    return InvalidArgument("a format is tried on a file; name a file in that format with --file");
  }
  ASSIGN_OR_RETURN(const std::string bytes, files::Read(size.file, kMaxFile));
  const auto take = [](plugin::PluginUse& use, PluginFile& file, config::Problems& problems) {
    plugin::TakePlugin(use, "format", file, problems,
                       [](const nlohmann::json& /*created*/) { return absl::OkStatus(); });
  };
  ASSIGN_OR_RETURN(const auto use, SpecOf<plugin::PluginUse>(named, "", take));
  ASSIGN_OR_RETURN(auto trial, storage::trials::TryFormat(use, bytes));
  const std::string says = trial.has_labels && trial.has_event_times ? "with labels and times"
                           : trial.has_labels                        ? "with labels"
                           : trial.has_event_times                   ? "with times"
                                                                     : "without labels or times";
  return PluginTrial{
      .kind = "format",
      .summary = fmt::format("{} records in {} bytes, {}, {} records a second",
                             WithThousands(trial.num_records), WithThousands(trial.num_bytes), says,
                             Short(trial.records_per_second)),
      .numbers = {{"bytes", trial.num_bytes},
                  {"records", trial.num_records},
                  {"bad", trial.num_bad},
                  {"labels", trial.has_labels},
                  {"event_times", trial.has_event_times},
                  {"records_per_second", trial.records_per_second}},
      .promises = std::move(trial.promises)};
}

struct TrialOfKind {
  std::string_view kind;
  absl::StatusOr<PluginTrial> (*run)(const NamedPlugin& named, const TrialSize& size);
};

constexpr TrialOfKind kTrials[] = {{"trigger", &TryTrigger}, {"selection", &TrySelection},
                                   {"score", &TryScore},     {"op", &TryOp},
                                   {"measure", &TryMeasure}, {"format", &TryFormat}};

}  // namespace

bool PluginTrial::KeepsAll() const {
  return std::ranges::all_of(promises, &plugin::Promise::is_kept);
}

absl::StatusOr<PluginTrial> TryPlugin(NamedPlugin named, const TrialSize& size) {
  ASSIGN_OR_RETURN(const plugin::Description description, FindPlugin(named));
  const auto* const trial = std::ranges::find(kTrials, description.kind, &TrialOfKind::kind);
  if (trial == std::end(kTrials)) {
    return InvalidArgument("{} is a plug-in of the kind {}, which cannot be tried", named.use,
                           description.kind);
  }
  return trial->run(named, size);
}

}  // namespace tidemill::cli
