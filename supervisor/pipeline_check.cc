#include "supervisor/pipeline_check.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "loader/sample_schema.h"
#include "supervisor/csv_peek.h"
#include "transform/graph.h"

namespace tidemill::supervisor {
namespace {

namespace fs = std::filesystem;

// A label that this share of the peeked records has is no slip of the data but one of the spec.
constexpr double kNotedShare = 0.05;

// Looks at one pipeline from all sides and notes what is wrong.
class Checker {
 public:
  Checker(PipelineSpec& spec, config::Problems& problems, const std::string& base_folder,
          const RegisteredDatasets& registered)
      : spec_(spec), problems_(problems), base_folder_(base_folder), registered_(registered) {}

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
    const storage::DatasetSpec* trained_on = Find(spec_.preprocess.dataset);
    if (trained_on != nullptr) CheckTraining(*trained_on);
    for (size_t i = 0; i < spec_.evaluation.size(); ++i) CheckEvaluation(i);
  }

 private:
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
    fs::path path = dataset.path;
    if (path.is_relative()) path = fs::path(base_folder_) / path;
    dataset.path = path.lexically_normal().string();
    std::error_code error;
    if (!fs::exists(path, error)) {
      problems_.Add(at + ".path", fmt::format("there is no {}", dataset.path), "check the path");
      return;
    }
    const DatasetFiles files = FindFiles(dataset);
    if (files.known && !files.first) {
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
    const bool has_time =
        CheckColumn(at + ".event_time.column", peek, columns, dataset.event_time.column);
    const bool has_label = CheckColumn(at + ".label.column", peek, columns, dataset.label.column);
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
    if (schema.label == transform::LabelKind::kNone) return;
    CheckLoss(dataset.label);
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
    const size_t rank = graph.input().shape.size();
    if (std::holds_alternative<models::Convnet>(spec_.model) && rank != 2 && rank != 3) {
      problems_.Add("model",
                    fmt::format("a convnet takes images, but 'input' has rows of shape [{}]",
                                fmt::join(graph.input().shape, ", ")),
                    "reshape the input to [channels, height, width] or use type: mlp");
    }
  }

  void CheckLoss(const storage::LabelSpec& label) {
    const bool is_class = label.kind == storage::LabelKind::kClass;
    const bool cross_entropy = spec_.training.loss == models::Loss::kCrossEntropy;
    if (is_class != cross_entropy) {
      problems_.Add("training.loss",
                    fmt::format("{} does not fit the label of '{}', which is a {}",
                                cross_entropy ? "cross_entropy" : "mse", spec_.preprocess.dataset,
                                is_class ? "class" : "real number"),
                    fmt::format("use loss: {}", is_class ? "cross_entropy" : "mse"));
      return;
    }
    const int64_t outputs = models::NumOutputs(spec_.model);
    const auto num_classes = static_cast<int64_t>(label.classes.size());
    if (cross_entropy && num_classes > 0 && outputs != num_classes) {
      problems_.Add("model.outputs",
                    fmt::format("{} outputs for the {} classes of '{}'", outputs, num_classes,
                                spec_.preprocess.dataset),
                    fmt::format("write outputs: {}", num_classes));
    }
    if (!cross_entropy && outputs != 1) {
      problems_.Add("model.outputs", fmt::format("{} outputs for one real label", outputs),
                    "write outputs: 1");
    }
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
      const char* label = schema.label == transform::LabelKind::kNone   ? "missing"
                          : schema.label == transform::LabelKind::kReal ? "a real number"
                                                                        : "a class";
      problems_.Add(
          fmt::format("{}.measures[{}]", at, m),
          fmt::format("{} does not fit the label of '{}', which is {}",
                      evaluator::NameOf(evaluation.measures[m]), evaluation.dataset, label),
          of_classes ? "real labels: mae, rmse" : "classes: accuracy, f1");
    }
    if (evaluation.dataset == spec_.preprocess.dataset) return;
    for (const auto& problem : transform::Graph::Check(spec_.preprocess.graph, schema)) {
      problems_.Add(at + ".dataset",
                    fmt::format("'{}' does not go through the graph: {}", evaluation.dataset,
                                problem.message),
                    problem.hint);
    }
  }

  PipelineSpec& spec_;
  config::Problems& problems_;
  const std::string& base_folder_;
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
  Checker(decoded.value, decoded.problems, source.base_folder, registered).Run();
  return decoded;
}

}  // namespace tidemill::supervisor
