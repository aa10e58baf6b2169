#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/disk_full.h"
#include "base/names.h"
#include "cli/command_line/action.h"
#include "cli/command_line/names.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/models/commands.h"
#include "cli/commands/models/prediction_call.h"
#include "cli/terminal/text.h"
#include "cli/terminal/time_flag.h"
#include "supervisor_client/model_change_json.h"
#include "supervisor_client/model_change_text.h"

namespace tidemill::cli {
namespace {

struct PredictFlags {
  std::string model;
  std::vector<std::string> inputs;
  std::string dataset;
  std::string from;
  std::string to;
  std::string output;
  std::string format = "csv";
  bool probabilities = false;
  bool no_header = false;
};

PredictFlags& FlagsOfPredict() {
  static PredictFlags flags;
  return flags;
}

// The evaluator finds the model that a pipeline has in use.
bool IsForEvaluator(const std::string& name) { return IsName(name) && name != "latest"; }

absl::StatusOr<evaluator::v1::PredictionModel> ModelOf(const Session& session,
                                                       const std::string& name) {
  evaluator::v1::PredictionModel model;
  const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number && IsForEvaluator(name)) {
    model.mutable_pipeline()->set_name(name);
    return model;
  }
  ASSIGN_OR_RETURN(const NamedModel found, FindModel(session, name));
  model.set_model_id(found.id.value);
  return model;
}

// Why there is no prediction, with a proposal where a name is unknown.
absl::Status Explained(const Session& session, const std::string& name, absl::Status status) {
  if (!absl::IsNotFound(status) || !IsForEvaluator(name)) return status;
  const auto found = FindModel(session, name);
  return absl::IsNotFound(found.status()) ? found.status() : status;
}

// The files of a folder in the order of their paths, without hidden ones.
void AddFilesOf(const std::string& folder, std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  std::error_code error;
  const size_t first = files.size();
  for (fs::recursive_directory_iterator at(folder, error), end; at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.')) {
      if (at->is_directory(error)) at.disable_recursion_pending();
    } else if (at->is_regular_file(error)) {
      files.push_back(at->path().string());
    }
  }
  std::ranges::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
}

std::vector<std::string> InputsOf(const std::vector<std::string>& given) {
  std::vector<std::string> inputs;
  for (const std::string& input : given) {
    std::error_code error;
    if (std::filesystem::is_directory(input, error)) {
      AddFilesOf(input, inputs);
    } else {
      inputs.push_back(input);
    }
  }
  return inputs;
}

// Tells the user about rows with unknown values.
struct UnknownText {
  storage::UnknownFact::Kind kind;
  const char* key;       // In the summary.
  const char* sentence;  // Follows the number of rows.
  const char* advice;    // Follows the first of them.
};
using Kind = storage::UnknownFact::Kind;
constexpr UnknownText kUnknownTexts[] = {
    {Kind::kTime, "without_time", "have no time and happen now", ""},
    {Kind::kLabel, "unread_labels", "have a label that cannot be read and are not scored", ""},
    {Kind::kCondition, "where_not_applied",
     "have no label, so `where` of the dataset, which reads it, is not applied to them", ""},
    {Kind::kEncoding, "not_utf8", "are not in UTF-8, but perhaps in Latin-1",
     "; unless the dataset is so, too, convert the input: iconv -f ISO-8859-1 -t UTF-8"}};

nlohmann::ordered_json SummaryOf(const PredictionCall& call) {
  const PredictionCounts& counts = call.counts();
  nlohmann::ordered_json summary = {
      {"model", call.model().model_id()},  {"run", call.model().run_id()},
      {"trigger", call.model().trigger()}, {"rows", counts.num_rows()},
      {"answered", counts.num_answered},   {"filtered", counts.num_filtered},
      {"wrong", counts.num_wrong}};
  if (call.model().has_in_use())
    summary["in_use"] = supervisor::ModelInUseToJson(call.model().in_use());
  if (counts.num_without_window > 0) summary["without_window"] = counts.num_without_window;
  if (counts.num_remarks > 0) {
    summary["remarks"] = counts.num_remarks;
    summary["first_remark"] = counts.first_remark;
  }
  if (!counts.first_problem.empty()) summary["first_problem"] = counts.first_problem;
  if (call.num_files_not_taken() > 0) summary["files_not_taken"] = call.num_files_not_taken();
  for (const UnknownText& text : kUnknownTexts) {
    const auto found = counts.unknown.find(text.kind);
    if (found == counts.unknown.end()) continue;
    summary[text.key] = {{"rows", found->second.count}, {"first", found->second.first}};
  }
  if (const auto scores = call.scores()) {
    summary["labelled"] = scores->num_labelled;
    summary[scores->measure] = scores->value;
    summary["baselines"] = {{"constant", scores->constant}};
    if (scores->last) summary["baselines"]["last"] = *scores->last;
  }
  return summary;
}

void PrintSummary(const PredictionCall& call) {
  const PredictionCounts& counts = call.counts();
  const auto& model = call.model();
  fmt::print(stderr, "model {} (run {}, trigger {}) answered {} of {} rows\n", model.model_id(),
             model.run_id(), model.trigger(), WithThousands(counts.num_answered),
             WithThousands(counts.num_rows()));
  if (model.has_in_use()) {
    fmt::print(stderr, "  {}\n", Printable(supervisor::InUseText(model.in_use())));
  }
  if (counts.num_remarks > 0) {
    fmt::print(stderr, "  {} have a value that the model does not know, the first one: {}\n",
               WithThousands(counts.num_remarks), counts.first_remark);
  }
  if (counts.num_without_window > 0) {
    fmt::print(stderr, "  {} at which no window of the series ends\n",
               WithThousands(counts.num_without_window));
  }
  if (counts.num_filtered > counts.num_without_window) {
    fmt::print(stderr, "  {} filtered\n",
               WithThousands(counts.num_filtered - counts.num_without_window));
  }
  if (counts.num_wrong > 0) {
    fmt::print(stderr, "  {} wrong, the first one: {}\n", WithThousands(counts.num_wrong),
               counts.first_problem);
  }
  for (const UnknownText& text : kUnknownTexts) {
    const auto found = counts.unknown.find(text.kind);
    if (found == counts.unknown.end()) continue;
    fmt::print(stderr, "  {} {}, the first one: {}{}\n", WithThousands(found->second.count),
               text.sentence, found->second.first, text.advice);
  }
  const auto scores = call.scores();
  if (!scores) return;
  fmt::print(stderr, "  {} {:.4g} on {} labelled rows; {}: {:.4g}", scores->measure, scores->value,
             WithThousands(scores->num_labelled),
             model.is_class() ? "always the most frequent class" : "always the mean",
             scores->constant);
  if (scores->last) fmt::print(stderr, "; the last label known: {:.4g}", *scores->last);
  fmt::print(stderr, "\n");
}

// The samples of --dataset, or nothing. Checks everything that can be known without a stack.
absl::StatusOr<std::optional<DatasetRecords::Options>> SamplesOf(const PredictFlags& asked) {
  ASSIGN_OR_RETURN(const auto from, TimeOf("--from", asked.from));
  ASSIGN_OR_RETURN(const auto to, TimeOf("--to", asked.to));
  if (asked.dataset.empty() == asked.inputs.empty()) {
    return InvalidArgument("name the records: either --input FILE or --dataset DATASET");
  }
  if (!asked.dataset.empty()) {
    return DatasetRecords::Options{.dataset = asked.dataset, .from = from, .to = to};
  }
  if (from || to) {
    return InvalidArgument("--from and --to are about the times of a --dataset, not of a file");
  }
  return std::nullopt;
}

int Predict(const GlobalFlags& flags) {
  const PredictFlags& asked = FlagsOfPredict();
  const auto samples = SamplesOf(asked);
  if (!samples.ok()) return Report(samples.status());
  const std::vector<std::string> inputs = InputsOf(asked.inputs);
  if (!*samples) {
    if (const absl::Status input = storage::ForeignRecords::Check(inputs); !input.ok()) {
      return Report(input);
    }
  }
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  File file(nullptr, &std::fclose);
  if (!asked.output.empty()) {
    file.reset(std::fopen(asked.output.c_str(), "we"));
    if (file == nullptr) {
      return Report(InvalidArgument("cannot write {}: {}", asked.output, std::strerror(errno)));
    }
  }
  PredictionCall::Options options{
      .model = {},
      .input = {.inputs = inputs},
      .dataset = *samples,
      .layout = {.format = asked.format == "jsonl" || (flags.json && asked.output.empty())
                               ? PredictionLayout::Format::kJsonLines
                               : PredictionLayout::Format::kCsv,
                 .number = *samples ? "key" : "row",
                 .all_probabilities = asked.probabilities},
      .quiet = flags.quiet};
  if (asked.no_header) options.input.header = false;
  return WithSession(flags, [&](const Session& session) -> int {
    std::FILE* const to = file == nullptr ? stdout : file.get();
    auto model = ModelOf(session, asked.model);
    if (!model.ok()) return Report(model.status());
    options.model = *std::move(model);
    PredictionCall call(session, options, to);
    const absl::Status status = call.Run();
    if (!status.ok()) return Report(Explained(session, asked.model, status));
    if (std::fflush(to) != 0) {
      return Report(
          DiskFull(fmt::format("cannot write the predictions: {}", std::strerror(errno))));
    }
    if (flags.json) fmt::print("{}\n", nlohmann::ordered_json{{"summary", SummaryOf(call)}}.dump());
    if (!flags.quiet) PrintSummary(call);
    const bool is_partial = call.counts().num_wrong > 0 || call.num_files_not_taken() > 0;
    return is_partial ? kPartial : kDone;
  });
}

}  // namespace

void AddPredictCommand(Command& app) {
  PredictFlags& flags = FlagsOfPredict();
  Command& predict = app.AddSubcommand("predict", "Predict the labels of new records with a model");
  predict.AddOption("model", flags.model, kModelMeaning).Required().TypeName("MODEL|PIPELINE");
  predict
      .AddOption("-i,--input", flags.inputs,
                 "CSV or JSON Lines, - for standard input; for models of files: files and folders")
      .TypeName("FILE");
  predict.AddOption("--dataset", flags.dataset, "Stored samples in place of an input")
      .TypeName("DATASET");
  predict.AddOption("--from", flags.from, "Begin at this event time of the dataset")
      .TypeName("TIME");
  predict.AddOption("--to", flags.to, "End before this event time of the dataset").TypeName("TIME");
  predict
      .AddOption("-o,--output", flags.output, "File for the predictions (default: standard output)")
      .TypeName("FILE");
  predict.AddOption("--format", flags.format, "Format of the predictions (default: csv)")
      .OneOf({"csv", "jsonl"});
  predict.AddFlag("--probabilities", flags.probabilities, "Write the probability of every class");
  predict.AddFlag("--no-header", flags.no_header,
                  "The first line of the input is a record even if it names columns");
  SetAction(predict, Predict);
  predict.AddExample("tidemill predict elec2 --input new.csv --output predictions.csv");
  predict.AddExample("tail -n 5 new.csv | tidemill predict elec2 --input - --probabilities");
}

}  // namespace tidemill::cli
