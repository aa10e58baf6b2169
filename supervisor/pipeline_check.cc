#include "supervisor/pipeline_check.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/overloaded.h"
#include "loader/sample_schema.h"
#include "models/training_check.h"
#include "storage/client/dataset_path.h"
#include "supervisor/csv_peek.h"
#include "supervisor/pipeline_files.h"
#include "transform/graph.h"

namespace tidemill::supervisor {
namespace {

namespace fs = std::filesystem;

// A label that this share of the peeked records has is no slip of the data but one of the spec.
constexpr double kNotedShare = 0.05;

// Looks at one pipeline from all sides and notes what is wrong.
class Checker {
 public:
  Checker(PipelineSpec& spec, config::Problems& problems, const PipelineSource& source,
          const RegisteredDatasets& registered)
      : spec_(spec),
        problems_(problems),
        base_folder_(source.base_folder),
        files_(source.base_folder, DataFolder(source)),
        registered_(registered) {}

  void Run() {
    CheckName();
    for (auto& [name, dataset] : spec_.datasets) {
      if (dataset) {
        CheckDataset("datasets." + name, *dataset);
        known_[name] = *dataset;
      } else if (registered_) {
        if (auto found = registered_(name)) known_[name] = *std::move(found);
      }
    }
    CheckReferences();
    files_.ReadInto(spec_.preprocess.graph, "preprocess.graph", problems_);
    CheckScript();
    const storage::DatasetSpec* trained_on = Find(spec_.preprocess.dataset);
    if (trained_on != nullptr) CheckTraining(*trained_on);
    for (size_t i = 0; i < spec_.evaluation.size(); ++i) CheckEvaluation(i);
    if (trained_on != nullptr) CheckTrigger("trigger", spec_.trigger);
    if (trained_on != nullptr) CheckSelection("selection", spec_.selection);
  }

 private:
  // Empty without TIDEMILL_DATA.
  static std::string DataFolder(const PipelineSource& source) {
    const auto data = source.variables.find("TIDEMILL_DATA");
    return data == source.variables.end() ? "" : data->second;
  }

  const storage::DatasetSpec* Find(const std::string& name) const {
    const auto it = known_.find(name);
    return it == known_.end() ? nullptr : &it->second;
  }

  void CheckName() {
    const bool plain = std::all_of(spec_.name.begin(), spec_.name.end(), [](unsigned char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-';
    });
    if (spec_.name.empty() || spec_.name.size() > 63 || !plain) {
      problems_.Add("name", fmt::format("'{}' cannot name a pipeline", spec_.name),
                    "use up to 63 letters, digits, '_' and '-'");
    }
  }

  void CheckDataset(const std::string& at, storage::DatasetSpec& dataset) {
    // The credentials for an object store are storage's, which looks into it at registration.
    if (storage::IsObjectPath(dataset.path)) return;
    dataset.path = storage::AbsolutePath(base_folder_, dataset.path);
    std::error_code error;
    if (!fs::exists(dataset.path, error)) {
      problems_.Add(at + ".path", fmt::format("there is no {}", dataset.path), "check the path");
      return;
    }
    const DatasetFiles files = FindFiles(dataset);
    // The files of a live run may be still to come.
    if (files.known && !files.first && !spec_.live) {
      problems_.Add(at + ".files",
                    fmt::format("no file below {} matches '{}'", dataset.path, dataset.files),
                    "check the pattern");
    }
    const auto* csv = std::get_if<storage::CsvFormat>(&dataset.format);
    if (csv == nullptr || !files.first) return;
    if (const auto peek = PeekCsv(dataset, *csv, *files.first)) CheckCsv(at, *peek, dataset);
  }

  void CheckCsv(const std::string& at, const CsvPeek& peek, storage::DatasetSpec& dataset) {
    auto& format = std::get<storage::CsvFormat>(dataset.format);
    if (format.header && !format.columns.empty() && format.columns != peek.columns) {
      problems_.Add(
          at + ".format.columns",
          fmt::format("are not those of {}: {}", peek.file, fmt::join(peek.columns, ", ")),
          "leave them out to take the header's");
      return;
    }
    const std::vector<std::string>& columns = format.header ? peek.columns : format.columns;
    bool has_time =
        CheckColumn(at + ".event_time.column", peek, columns, dataset.event_time.column);
    for (size_t i = 0; i < dataset.event_time.columns.size(); ++i) {
      has_time &= CheckColumn(fmt::format("{}.event_time.columns[{}]", at, i), peek, columns,
                              dataset.event_time.columns[i]);
    }
    const bool has_label = CheckColumn(at + ".label.column", peek, columns, dataset.label.column);
    if (dataset.series) {
      CheckColumn(at + ".series.group", peek, columns, dataset.series->group);
      CheckColumn(at + ".series.target", peek, columns, dataset.series->target);
    }
    if (has_time && has_label) CheckClasses(at, peek, columns, dataset.label);
    columns_[at] = columns;
  }

  // Whether the column is there, if one is named.
  bool CheckColumn(const std::string& at, const CsvPeek& peek,
                   const std::vector<std::string>& columns,
                   const std::optional<std::string>& column) {
    if (!column || std::ranges::find(columns, *column) != columns.end()) return true;
    std::string hint = config::DidYouMean(*column, columns);
    if (hint.empty()) hint = fmt::format("columns: {}", fmt::join(columns, ", "));
    problems_.Add(at, fmt::format("{} has no column '{}'", peek.file, *column), hint);
    return false;
  }

  void CheckClasses(const std::string& at, const CsvPeek& peek,
                    const std::vector<std::string>& columns, const storage::LabelSpec& label) {
    if (!label.column || label.classes.empty()) return;
    const auto place =
        static_cast<size_t>(std::ranges::find(columns, *label.column) - columns.begin());
    std::map<std::string, size_t> unknown;
    for (const auto& record : peek.records) {
      if (record.size() != columns.size()) continue;
      const std::string& value = record[place];
      if (std::ranges::find(label.classes, value) == label.classes.end()) ++unknown[value];
    }
    for (const auto& [value, count] : unknown) {
      if (static_cast<double>(count) < kNotedShare * static_cast<double>(peek.records.size())) {
        continue;
      }
      const auto close = config::ClosestTo(value, label.classes);
      const std::string hint = close ? fmt::format("write '{}' for '{}'", value, *close)
                                     : fmt::format("add '{}'", value);
      problems_.Add(
          at + ".label.classes",
          fmt::format("{} has the label '{}', which is not among the classes", peek.file, value),
          hint);
    }
  }

  void CheckReferences() {
    CheckReference("preprocess.dataset", spec_.preprocess.dataset);
    for (size_t i = 0; i < spec_.evaluation.size(); ++i) {
      CheckReference(fmt::format("evaluation[{}].dataset", i), spec_.evaluation[i].dataset);
    }
  }

  void CheckReference(const std::string& at, const std::string& name) {
    if (spec_.datasets.contains(name)) return;
    std::vector<std::string> names;
    for (const auto& [defined, dataset] : spec_.datasets) names.push_back(defined);
    std::string hint = config::DidYouMean(name, names);
    if (hint.empty()) hint = fmt::format("datasets: {}", fmt::join(names, ", "));
    problems_.Add(at, fmt::format("there is no dataset '{}'", name), hint);
  }

  // What a graph sees of a dataset; with the columns of its first file where its spec has none.
  transform::SampleSchema SchemaOf(const std::string& name) const {
    transform::SampleSchema schema = loader::SchemaOf(known_.at(name));
    const auto columns = columns_.find("datasets." + name);
    if (!schema.columns && columns != columns_.end()) schema.columns = columns->second;
    return schema;
  }

  void CheckTraining(const storage::DatasetSpec& dataset) {
    const transform::GraphSpec& graph = spec_.preprocess.graph;
    const transform::SampleSchema schema = SchemaOf(spec_.preprocess.dataset);
    const auto found = transform::Graph::Check(graph, schema);
    for (const transform::GraphProblem& problem : found) {
      problems_.Add(PathOf(graph, problem), problem.message, problem.hint);
    }
    if (found.empty()) {
      if (const auto built = transform::Graph::Build(graph, schema); built.ok()) {
        CheckTensors(*built);
      }
    }
    CheckMix(storage::EffectiveLabel(dataset), schema.label);
    if (schema.label == transform::LabelKind::kNone) return;
    CheckLoss(storage::EffectiveLabel(dataset));
  }

  static std::string PathOf(const transform::GraphSpec& graph,
                            const transform::GraphProblem& problem) {
    const auto index = static_cast<size_t>(problem.op_index);
    if (index >= graph.size()) return "preprocess.graph";
    const std::string_view op =
        std::visit([](const auto& spec) { return spec.kType; }, graph[index].value);
    return config::JoinPath(fmt::format("preprocess.graph[{}].{}", index, op), problem.field);
  }

  void CheckTensors(const transform::Graph& graph) {
    if (!graph.target()) {
      problems_.Add("preprocess.graph", "no op makes the column 'target' that the loss takes",
                    "add '- label: {into: target}'");
    }
    models::InputSpecs inputs;
    for (const transform::ColumnSchema& column : graph.inputs()) {
      inputs[column.name] = {column.shape, column.type == batch::DataType::kInt64};
    }
    if (const auto problem = models::FindInputProblem(spec_.model, inputs)) {
      problems_.Add("model", problem->message, problem->hint);
    }
    if (!spec_.training.buckets) return;
    for (const auto& [path, problem] :
         models::FindBucketsProblems(spec_.model, *spec_.training.buckets, inputs)) {
      problems_.Add(path, problem.message, problem.hint);
    }
  }

  void CheckLoss(const storage::LabelSpec& label) {
    const models::LabelKind kind = {.is_class = label.kind == storage::LabelKind::kClass,
                                    .num_classes = static_cast<int64_t>(label.classes.size()),
                                    .dataset = spec_.preprocess.dataset};
    for (const auto& [path, problem] :
         models::FindTrainingProblems(spec_.model, spec_.training, kind)) {
      problems_.Add(path, problem.message, problem.hint);
    }
  }

  void CheckMix(const storage::LabelSpec& label, transform::LabelKind kind) {
    const models::LabelKind known = {.is_class = kind == transform::LabelKind::kClass,
                                     .num_classes = static_cast<int64_t>(label.classes.size()),
                                     .dataset = spec_.preprocess.dataset};
    for (const auto& [path, problem] : models::FindMixProblems(spec_.training, known)) {
      problems_.Add(path, problem.message, problem.hint);
    }
  }

  // Any file would do for the process that trains.
  void CheckScript() {
    auto* const script = std::get_if<models::TorchScript>(&spec_.model);
    if (script == nullptr) return;
    std::string path = files_.Locate(script->file, "model.file", problems_);
    if (!path.empty()) script->file = std::move(path);
  }

  void CheckEvaluation(size_t i) {
    const evaluator::EvaluationSpec& evaluation = spec_.evaluation[i];
    const storage::DatasetSpec* dataset = Find(evaluation.dataset);
    if (dataset == nullptr) return;
    const std::string at = fmt::format("evaluation[{}]", i);
    const transform::SampleSchema schema = SchemaOf(evaluation.dataset);
    for (size_t m = 0; m < evaluation.measures.size(); ++m) {
      const bool of_classes = evaluator::IsOfClasses(evaluation.measures[m]);
      if (of_classes == (schema.label == transform::LabelKind::kClass)) continue;
      problems_.Add(fmt::format("{}.measures[{}]", at, m),
                    fmt::format("{} does not fit the label of '{}', which is {}",
                                evaluator::NameOf(evaluation.measures[m]), evaluation.dataset,
                                DescribeLabel(schema.label)),
                    of_classes ? "real labels: mae, rmse, r2" : "classes: accuracy, f1, roc_auc");
    }
    CheckTopK(at, evaluation, schema);
    CheckSlices(at, evaluation, schema);
    if (evaluation.dataset == spec_.preprocess.dataset) return;
    for (const auto& problem : transform::Graph::Check(spec_.preprocess.graph, schema)) {
      problems_.Add(at + ".dataset",
                    fmt::format("'{}' does not go through the graph: {}", evaluation.dataset,
                                problem.message),
                    problem.hint);
    }
  }

  void CheckTopK(const std::string& at, const evaluator::EvaluationSpec& evaluation,
                 const transform::SampleSchema& schema) {
    for (size_t m = 0; m < evaluation.measures.size(); ++m) {
      const auto* top = std::get_if<evaluator::TopK>(&evaluation.measures[m]);
      if (top == nullptr || schema.num_classes == 0 || top->k < schema.num_classes) continue;
      problems_.Add(
          fmt::format("{}.measures[{}]", at, m),
          fmt::format("the {} first of {} classes are all of them", top->k, schema.num_classes),
          "write a smaller k");
    }
  }

  // Notes what a policy asks of samples that they cannot answer.
  void CheckTrigger(const std::string& at, const TriggerSpec& trigger) {
    std::visit(
        Overloaded{[&](const DriftTrigger& drift) { CheckDrift(at, drift); },
                   [&](const PerformanceTrigger& performance) {
                     const bool of_classes = performance.measure == PerformanceMeasure::kAccuracy;
                     CheckMistakes(at, "measure", of_classes);
                   },
                   [&](const DetectorTrigger& detector) {
                     CheckMistakes(at, "detector", statistics::CountsMistakes(detector.detector));
                   },
                   [&](const CostTrigger& cost) {
                     if (cost.of == CostOf::kMisclassifications) CheckMistakes(at, "of", true);
                   },
                   [&](const EnsembleTrigger& ensemble) {
                     for (size_t i = 0; i < ensemble.of.size(); ++i) {
                       CheckTrigger(fmt::format("{}.of[{}]", at, i), ensemble.of[i]);
                     }
                   },
                   [](const auto&) {}},
        trigger);
  }

  // Notes what a policy looks at that the samples do not have.
  void CheckSelection(const std::string& at, const selector::SelectionSpec& selection) {
    const transform::SampleSchema schema = SchemaOf(spec_.preprocess.dataset);
    if (const auto* schedule = std::get_if<selector::SelectionSchedule>(&selection)) {
      for (size_t i = 0; i < schedule->steps.size(); ++i) {
        CheckSelection(fmt::format("{}.steps[{}].use", at, i), schedule->steps[i].use);
      }
    } else if (const auto* importance = std::get_if<selector::Importance>(&selection)) {
      CheckRecordColumn(at + ".column", spec_.preprocess.dataset, schema, importance->column);
    } else if (const auto* balanced = std::get_if<selector::Balanced>(&selection)) {
      const bool by_label = balanced->by == selector::BalanceBy::kLabel;
      if (!by_label || schema.label == transform::LabelKind::kClass) return;
      problems_.Add(at,
                    fmt::format("balances classes, and the label of '{}' is {}",
                                spec_.preprocess.dataset, DescribeLabel(schema.label)),
                    "write by: trigger, or take another policy");
    } else if (std::holds_alternative<selector::Pairwise>(selection)) {
      if (schema.label == transform::LabelKind::kClass) return;
      problems_.Add(at,
                    fmt::format("looks at probabilities of classes, and the label of '{}' is {}",
                                spec_.preprocess.dataset, DescribeLabel(schema.label)),
                    "take k_center, facility_location or k_medoids");
    }
  }

  static const char* DescribeLabel(transform::LabelKind label) {
    return label == transform::LabelKind::kNone   ? "missing"
           : label == transform::LabelKind::kReal ? "a real number"
                                                  : "a class";
  }

  void CheckDrift(const std::string& at, const DriftTrigger& drift) {
    const transform::SampleSchema schema = SchemaOf(spec_.preprocess.dataset);
    if (drift.of == DriftOf::kLabels && schema.label == transform::LabelKind::kNone) {
      problems_.Add(at + ".of", fmt::format("'{}' has no labels", spec_.preprocess.dataset),
                    "write of: embeddings");
    }
    for (size_t i = 0; i < drift.columns.size(); ++i) {
      CheckRecordColumn(fmt::format("{}.columns[{}]", at, i), spec_.preprocess.dataset, schema,
                        drift.columns[i]);
    }
  }

  // Notes a key that needs mistakes, which classes have, or, for `of_classes` false, a distance,
  // which real labels have.
  void CheckMistakes(const std::string& at, const char* key, bool of_classes) {
    const transform::LabelKind label = SchemaOf(spec_.preprocess.dataset).label;
    const std::string place = at + "." + key;
    if (label == transform::LabelKind::kNone) {
      problems_.Add(place,
                    fmt::format("'{}' has no labels to be wrong about", spec_.preprocess.dataset),
                    "name its label, or take another policy");
    } else if (of_classes && label == transform::LabelKind::kReal) {
      problems_.Add(place,
                    fmt::format("counts mistakes, and the label of '{}' is a real number",
                                spec_.preprocess.dataset),
                    std::string_view(key) == "detector" ? "real labels: adwin, page_hinkley"
                                                        : "write measure: mean_absolute_error");
    }
  }

  // Notes a column that the records of a dataset do not have.
  void CheckRecordColumn(const std::string& at, const std::string& dataset,
                         const transform::SampleSchema& schema, const std::string& column) {
    if (schema.payload != transform::PayloadKind::kCsv &&
        schema.payload != transform::PayloadKind::kJson) {
      problems_.Add(at, fmt::format("the records of '{}' have no columns", dataset),
                    "only csv and jsonl have columns");
    } else if (schema.columns &&
               std::ranges::find(*schema.columns, column) == schema.columns->end()) {
      std::string hint = config::DidYouMean(column, *schema.columns);
      if (hint.empty()) hint = fmt::format("columns: {}", fmt::join(*schema.columns, ", "));
      problems_.Add(at, fmt::format("'{}' has no column '{}'", dataset, column), hint);
    }
  }

  void CheckSlices(const std::string& at, const evaluator::EvaluationSpec& evaluation,
                   const transform::SampleSchema& schema) {
    for (size_t i = 0; i < evaluation.slices.size(); ++i) {
      const std::string path = fmt::format("{}.slices[{}]", at, i);
      const auto* column = std::get_if<evaluator::ColumnSlices>(&evaluation.slices[i]);
      if (column == nullptr && schema.label != transform::LabelKind::kClass) {
        problems_.Add(path, fmt::format("the label of '{}' has no classes", evaluation.dataset),
                      "make slices of a column: {type: column, name: ...}");
      }
      if (column != nullptr) CheckRecordColumn(path, evaluation.dataset, schema, column->name);
    }
  }

  PipelineSpec& spec_;
  config::Problems& problems_;
  const std::string& base_folder_;
  const PipelineFiles files_;
  const RegisteredDatasets& registered_;
  std::map<std::string, storage::DatasetSpec> known_;
  std::map<std::string, std::vector<std::string>> columns_;  // By path in the document.
};

}  // namespace

config::Decoded<PipelineSpec> CheckPipeline(const PipelineSource& source,
                                            const RegisteredDatasets& registered) {
  auto decoded = config::Decode<PipelineSpec>(
      {.text = source.text, .name = source.file_name, .variables = source.variables});
  // What could not be read has its default, about which nothing can be said.
  if (!decoded.problems.empty()) return decoded;
  Checker(decoded.value, decoded.problems, source, registered).Run();
  return decoded;
}

}  // namespace tidemill::supervisor
