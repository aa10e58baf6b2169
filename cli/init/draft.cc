#include "cli/init/draft.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "fmt/format.h"

#include "base/names.h"
#include "base/numbers/thousands.h"
#include "base/printable.h"
#include "cli/init/draft_parts.h"
#include "cli/init/graph_choice.h"
#include "cli/init/look/image_look.h"
#include "cli/init/look/jsonl_look.h"
#include "cli/init/recommender.h"
#include "cli/init/record_order.h"
#include "cli/init/time_choice.h"
#include "cli/init/training_choice.h"
#include "records/json_fields.h"

namespace tidemill::cli {
namespace {

// Trainings on images take longer.
constexpr int64_t kTrainingsOfImages = 5;

// Asks for the column of something until a column is named; at most three times.
std::optional<std::string> AskForColumn(const AskPerson& ask, const SampledTable& table,
                                        const std::string& what, const std::string& guess) {
  constexpr int kMaxTimes = 3;
  const std::string question = fmt::format("which column is the {}? {} [{}] ", what,
                                           NamesForPeople(table.Names(), 20), guess);
  for (int time = 0; time < kMaxTimes; ++time) {
    std::string answer = ask(question);
    if (answer.empty()) return std::nullopt;
    if (table.Find(answer)) return answer;
  }
  return std::nullopt;
}

// The guesses about a table, one after another, because each leaves fewer columns to the next.
class TableDraft {
 public:
  TableDraft(const DraftOptions& options, const SeenData& data, SampledTable table,
             const NumberNotations& numbers)
      : options_(options), data_(data), table_(std::move(table)) {
    for (const SampledColumn& column : table_.columns) {
      facts_.push_back(FactsOf(column, numbers.Of(column.name), table_.parts));
    }
  }

  absl::Status Fill(PipelineDraft& draft) {
    RETURN_IF_ERROR(TakeTime());
    RETURN_IF_ERROR(TakeLabel());
    if (!time_.is_known) time_.guess = OrderAsTime(data_, table_, label_);
    draft.dataset.push_back(time_.guess);
    draft.dataset.push_back(label_.guess);
    std::set<size_t> taken = time_.columns;
    taken.insert(label_.column);
    ASSIGN_OR_RETURN(GraphChoice graph, ChooseGraph({.facts = facts_,
                                                     .taken = taken,
                                                     .time = time_,
                                                     .json = data_.kind == DataKind::kJsonLines,
                                                     .whole = table_.whole}));
    draft.graph = std::move(graph.ops);
    draft.left_out = std::move(graph.left_out);
    draft.more_unknown = std::move(graph.unknown);
    draft.num_columns = std::ssize(table_.columns);
    draft.training = FactsOfTraining(draft.name, graph);
    draft.files.in_order = !time_.is_known || time_.rises;
    SayWhatWasNotSeen(draft);
    return absl::OkStatus();
  }

 private:
  absl::Status TakeTime() {
    ASSIGN_OR_RETURN(time_, ChooseTime(table_, facts_, options_.time));
    if (time_.guess.unknown.empty() || options_.ask == nullptr || options_.time ||
        time_.columns.empty()) {
      return absl::OkStatus();
    }
    const auto answer =
        AskForColumn(options_.ask, table_, "time", table_.columns[*time_.columns.begin()].name);
    if (!answer) return absl::OkStatus();
    ASSIGN_OR_RETURN(time_, ChooseTime(table_, facts_, answer));
    return absl::OkStatus();
  }

  absl::Status TakeLabel() {
    std::set<size_t> taken = time_.columns;
    taken.insert(time_.other_times.begin(), time_.other_times.end());
    ASSIGN_OR_RETURN(label_, ChooseLabel(table_, facts_, taken, options_.label));
    if (label_.guess.unknown.empty() || options_.ask == nullptr || options_.label.column)
      return absl::OkStatus();
    LabelWishes wishes = options_.label;
    wishes.column = AskForColumn(options_.ask, table_, "label", table_.columns[label_.column].name);
    if (!wishes.column) return absl::OkStatus();
    ASSIGN_OR_RETURN(label_, ChooseLabel(table_, facts_, taken, wishes));
    return absl::OkStatus();
  }

  TrainingFacts FactsOfTraining(const std::string& name, const GraphChoice& graph) const {
    return {.dataset = name,
            .num_samples = table_.num_rows_in_all,
            .num_classes = static_cast<int64_t>(label_.classes.size()),
            .is_unbalanced = label_.rarest * 20 < label_.most_frequent,
            .vocabulary = graph.vocabulary,
            .categories = graph.categories,
            .has_numbers = graph.has_numbers,
            .time_is_known = time_.is_known,
            .span = {time_.is_known ? time_.last.micros - time_.first.micros : 0}};
  }

  void SayWhatWasNotSeen(PipelineDraft& draft) const {
    if (table_.whole || label_.task == Task::kRegression) return;
    const size_t num_files = data_.paths.size();
    const std::string where = data_.seen.size() < num_files
                                  ? fmt::format(", in {} of {} files", data_.seen.size(), num_files)
                                  : "";
    draft.more_unknown.push_back(
        fmt::format("whether there are more classes than the {} of the records that were looked "
                    "at{}; a record of another class will be left out, so add it to `classes`",
                    label_.classes.size(), where));
  }

  const DraftOptions& options_;
  const SeenData& data_;
  const SampledTable table_;
  std::vector<ColumnFacts> facts_;
  TimeChoice time_;
  LabelChoice label_;
};

// An option that does nothing is refused.
absl::Status RefuseCsvOptions(const CsvWishes& wishes, const std::string& what) {
  if (!wishes.delimiter && !wishes.header && !wishes.decimal) return absl::OkStatus();
  return InvalidArgument(
      "--delimiter, --header and --decimal are for CSV files, and this is {}; leave them out",
      what);
}

absl::StatusOr<CsvLook> LookAtTable(const DraftOptions& options, const SeenData& data) {
  if (data.kind == DataKind::kCsv) return LookAtCsv(data, options.csv);
  RETURN_IF_ERROR(RefuseCsvOptions(options.csv, "JSON Lines"));
  ASSIGN_OR_RETURN(SampledTable table, LookAtJsonLines(data));
  Guess format{.key = "format", .value = "{type: jsonl}", .reason = "each line is a JSON object"};
  if (table.num_bad > 0) {
    format.reason +=
        fmt::format("; {} of {} lines are not, and will be left out", WithThousands(table.num_bad),
                    WithThousands(table.num_bad + table.num_rows));
  }
  if (table.has_more) {
    format.unknown =
        fmt::format("what the other fields are: only the first {} different fields were looked at",
                    table.columns.size());
  }
  if (table.has_deeper) {
    format.reason +=
        fmt::format("; fields nested more than {} levels deep are left out", kMaxJsonSteps);
  }
  return CsvLook{.format = std::move(format), .table = std::move(table)};
}

std::string CountOf(const SampledTable& table) {
  const std::string seen = WithThousands(table.num_rows);
  if (table.whole) return fmt::format("all {} records", seen);
  return fmt::format("{} of about {} records", seen, WithThousands(table.num_rows_in_all));
}

absl::Status DraftImages(const DraftOptions& options, const SeenData& data, PipelineDraft& draft) {
  RETURN_IF_ERROR(RefuseCsvOptions(options.csv, "a folder of images"));
  if (options.label.column || options.label.task || options.time) {
    return InvalidArgument(
        "--label, --time and --task are for tables, and this is a folder of images, whose label is "
        "the name of the folder that holds an image; leave them out");
  }
  ASSIGN_OR_RETURN(ImageLook look, LookAtImages(data));
  draft.dataset.insert(draft.dataset.end(), look.dataset.begin(), look.dataset.end());
  draft.graph = std::move(look.graph);
  draft.more_unknown = std::move(look.unknown);
  draft.looked_at = fmt::format("the names of {} images and the contents of {}",
                                WithThousands(look.num_images), look.num_looked_at);
  draft.training = {.dataset = draft.name,
                    .num_samples = look.num_images,
                    .num_classes = static_cast<int64_t>(look.classes.size()),
                    .is_unbalanced = look.rarest * 20 < look.most_frequent,
                    .is_image = true,
                    .time_is_known = look.time_is_known,
                    .num_trainings = kTrainingsOfImages};
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PipelineDraft> DraftPipeline(const DraftOptions& options) {
  ASSIGN_OR_RETURN(const SeenData data, LookAtData(options.path));
  PipelineDraft draft{.name = options.name.empty() ? NameFromPath(options.path) : options.name,
                      .command = options.command,
                      .files = {.kind = data.kind, .folder = data.folder, .paths = data.paths}};
  RETURN_IF_ERROR(CheckName("pipeline", draft.name));
  ASSIGN_OR_RETURN(const Guess path, PathGuess(data.folder, options.output));
  draft.dataset = {path, FilesGuess(data)};
  if (data.kind == DataKind::kImages) {
    RETURN_IF_ERROR(DraftImages(options, data, draft));
    draft.sections = ChooseTraining(draft.training, UntriedRecipe(draft.training));
    return draft;
  }
  ASSIGN_OR_RETURN(CsvLook look, LookAtTable(options, data));
  draft.dataset.push_back(look.format);
  draft.looked_at = fmt::format("{}: {}", CountOf(look.table), data.Describe());
  draft.files.header_lines = look.header_lines;
  RETURN_IF_ERROR(TableDraft(options, data, std::move(look.table), look.numbers).Fill(draft));
  draft.sections = ChooseTraining(draft.training, UntriedRecipe(draft.training));
  return draft;
}

}  // namespace tidemill::cli
