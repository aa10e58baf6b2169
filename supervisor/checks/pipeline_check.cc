#include "supervisor/checks/pipeline_check.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/names.h"
#include "models/training/training_check.h"
#include "records/file_kind.h"
#include "samples/dataset_schema.h"
#include "storage/fields/sample_expression.h"
#include "storage/spec/dataset_path.h"
#include "supervisor/checks/advice.h"
#include "supervisor/checks/cache_check.h"
#include "supervisor/checks/csv_check.h"
#include "supervisor/checks/expression_check.h"
#include "supervisor/checks/field_check.h"
#include "supervisor/checks/part_check.h"
#include "supervisor/checks/sample_trial.h"
#include "supervisor/checks/start_from_check.h"
#include "supervisor/checks/trained_graph.h"
#include "supervisor/pipeline/pipeline_files.h"
#include "transform/engine/column_rule.h"
#include "transform/engine/schema_check.h"
#include "transform/graph.h"

// The order of the checks is listed in pipeline_check.h.

namespace tidemill::supervisor {
namespace {

// Looks at one pipeline from all sides and notes what is wrong.
class Checker {
 public:
  Checker(CheckedPipeline& checked, const PipelineSource& source,
          const RegisteredDatasets& registered)
      : spec_(checked.value),
        problems_(checked.problems),
        warnings_(checked.warnings),
        not_looked_(checked.not_looked),
        values_(checked.values),
        chosen_(checked.chosen),
        trained_on_(checked.trained_on),
        base_folder_(source.base_folder),
        files_(source.files),
        peek_(source.peek),
        registered_(registered) {}

  void Run() {
    CheckNames();
    SetClocks(spec_, registered_, problems_);
    if (files_ != nullptr) ReadInto(spec_, *files_, problems_);
    for (auto& [name, dataset] : spec_.datasets) {
      if (dataset) {
        // Without its classes, nothing that is true can be said about its labels.
        if (ProblemPaths().contains(fmt::format("datasets.{}.label.classes_file", name))) continue;
        CheckDataset("datasets." + name, *dataset);
        known_[name] = *dataset;
      } else if (registered_) {
        if (auto found = registered_(name)) known_[name] = *std::move(found);
      } else {
        NoteNotLooked("datasets." + name, "it is only named here, and the stack has its spec");
      }
    }
    CheckReferences();
    CheckScript();
    if (files_ != nullptr) CheckStartFrom(*files_, spec_.training, problems_);
    CheckWorkers();
    const storage::DatasetSpec* trained_on = Find(spec_.preprocess.dataset);
    if (trained_on != nullptr) {
      CheckTraining(*trained_on);
      TryFeatures();
    }
    for (size_t i = 0; i < spec_.evaluation.size(); ++i) CheckEvaluation(i);
    if (trained_on != nullptr) CheckTrigger("trigger", spec_.trigger);
    if (trained_on != nullptr) {
      const config::Problems::Scope scope(problems_, "selection");
      spec_.selection->CheckSamples(SamplesOf(spec_.preprocess.dataset), problems_);
    }
    CheckSelectionWhere("selection", spec_.selection);
    if (trained_on != nullptr) KeepWhatWasSeen(*trained_on);
    const auto remarks = Advise(spec_, found_["datasets." + spec_.preprocess.dataset].facts);
    for (const config::Remark& remark : remarks) Note("", remark);
  }

 private:
  const storage::DatasetSpec* Find(const std::string& name) const {
    const auto it = known_.find(name);
    return it == known_.end() ? nullptr : &it->second;
  }

  void CheckNames() {
    if (!IsName(spec_.name)) problems_.Add("name", NoNameFor("pipeline", spec_.name), NameRule());
    for (const auto& [name, dataset] : spec_.datasets) {
      if (!IsName(name)) {
        problems_.Add("datasets." + name, NoNameFor("dataset", name), NameRule());
      }
    }
  }

  void CheckDataset(const std::string& at, storage::DatasetSpec& dataset) {
    // The credentials for an object store are storage's, which looks into it at registration.
    if (storage::IsObjectPath(dataset.path)) {
      return NoteNotLooked(at, "it is in an object store, which storage reads at registration");
    }
    dataset.path = storage::AbsolutePath(base_folder_, dataset.path);
    if (!peek_) return NoteNotLooked(at, "it is on another machine");
    // The reason is reported as a separate problem.
    if (!dataset.format->CanRead()) return NoteNotLooked(at, "its format's plug-in was not taken");
    const absl::StatusOr<DatasetPeek> peek = peek_(dataset);
    if (!peek.ok()) {
      const char* const hint = absl::IsInvalidArgument(peek.status())
                                   ? "move the data below one of these folders, or add a folder"
                                   : "check the path, and who may read it";
      problems_.Add(at + ".path", std::string(peek.status().message()), hint);
      return;
    }
    // The files of a live run may be still to come.
    if (peek->files_known && !peek->first && !spec_.live) {
      problems_.Add(at + ".files",
                    fmt::format("no file below {} matches '{}'", dataset.path, dataset.files),
                    dataset.files.find_first_of("[]{}") == std::string::npos
                        ? "check the pattern"
                        : "only *, ** and ? are special; brackets stand for themselves");
    }
    if (!peek->not_looked.empty()) NoteNotLooked(at, peek->not_looked);
    if (!peek->first) {
      if (peek->files_known) NoteNotLooked(at, "no file matches yet");
      return;
    }
    CheckHead(at, dataset, *peek);
    for (const config::Remark& remark : JudgeParts(*peek, dataset)) Note(at, remark);
    for (const config::Remark& remark : JudgeValues(*peek, dataset)) Note(at, remark);
    for (const auto& [key, text] : DescribeValues(*peek)) {
      values_.push_back({.path = config::JoinPath(at, key), .text = text});
    }
    peeks_[at] = *std::move(peek);
  }

  // Checks the head of a CSV file.
  void CheckHead(const std::string& at, const storage::DatasetSpec& dataset,
                 const DatasetPeek& peek) {
    if (!dataset.format->Delimited()) return CheckKind(at, dataset, peek);
    auto start = StartOf(*peek.first, peek.head);
    if (!start) return;
    if (dataset.append) start->whole = false;  // Its last record may be half written.
    CsvFindings found = CheckCsv(*start, dataset, spec_.live.has_value());
    for (const config::Remark& remark : found.remarks) Note(at, remark);
    found_[at] = std::move(found);
  }

  // For formats that tell their records from other bytes.
  void CheckKind(const std::string& at, const storage::DatasetSpec& dataset,
                 const DatasetPeek& peek) {
    const storage::FileFormat& format = *dataset.format;
    const bool takes_anything =
        format.Unit() == storage::SampleUnit::kWholeFile || format.RecordBytes();
    const auto start = StartOf(*peek.first, peek.head);
    if (takes_anything || !start) return;
    const auto kind = KindOfFile(start->bytes);
    const bool is_archive = format.Unit() == storage::SampleUnit::kMembers;
    if (!kind || (is_archive && kind->name == kTarArchive)) return;
    problems_.Add(at + ".files",
                  fmt::format("{} is not a file of format {}, it is {}", *peek.first,
                              dataset.format.type(), kind->name),
                  kind->hint);
  }

  void NoteNotLooked(const std::string& at, std::string reason) {
    not_looked_.push_back({.path = at, .reason = std::move(reason)});
  }

  void Note(const std::string& at, const config::Remark& remark) {
    (remark.is_error ? problems_ : warnings_)
        .Add(config::JoinPath(at, remark.path), remark.message, remark.hint);
  }

  // Tries what the graph reads on the first records.
  void TryFeatures() {
    const auto found = found_.find("datasets." + spec_.preprocess.dataset);
    if (found == found_.end()) return;
    for (const config::Remark& remark : TryFields(found->second.records, spec_.preprocess.graph,
                                                  spec_.training.max_bad_fraction)) {
      Note("preprocess.graph", remark);
    }
  }

  // Tries the graph on the samples that were seen.
  void TryGraph(const transform::Graph& graph, const storage::DatasetSpec& dataset) {
    const auto peek = peeks_.find("datasets." + spec_.preprocess.dataset);
    if (peek == peeks_.end()) return;
    for (const config::Remark& remark :
         TrySamples(peek->second, dataset, graph, spec_.preprocess.graph,
                    spec_.training.max_bad_fraction)) {
      Note("", remark);
    }
  }

  void KeepWhatWasSeen(const storage::DatasetSpec& dataset) {
    const std::string& name = spec_.preprocess.dataset;
    trained_on_ = TrainedOn{.dataset = dataset, .schema = SchemaOf(name)};
    const auto peek = peeks_.find("datasets." + name);
    if (peek != peeks_.end()) trained_on_->peek = std::move(peek->second);
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

  // The schema of a dataset for a graph, with the columns of its first file if its spec has none.
  transform::SampleSchema SchemaOf(const std::string& name) const {
    transform::SampleSchema schema = samples::SchemaOf(known_.at(name));
    const auto found = found_.find("datasets." + name);
    if (!schema.columns && found != found_.end()) schema.columns = found->second.columns;
    return schema;
  }

  transform::DescribedSamples SamplesOf(const std::string& name) const {
    return {.dataset = name, .schema = SchemaOf(name)};
  }

  void CheckTraining(const storage::DatasetSpec& dataset) {
    transform::GraphSpec& graph = spec_.preprocess.graph;
    const transform::SampleSchema schema = SchemaOf(spec_.preprocess.dataset);
    const auto found = transform::Graph::Check(graph, schema);
    const std::set<std::string> noted = ProblemPaths();
    for (const transform::GraphProblem& problem : found) {
      const std::string path = PathOf(graph, problem);
      // A file that could not be loaded has its problem already.
      if (!noted.contains(path)) problems_.Add(path, problem.message, problem.hint);
    }
    if (found.empty()) {
      NameColumns(graph, schema);
      const auto built = transform::Graph::Build(graph, schema);
      if (built.ok()) {
        CheckTensors(*built);
        CheckCache(spec_.training.cache, *built, problems_);
        TryGraph(*built, dataset);
      }
      if (absl::IsFailedPrecondition(built.status())) {
        waits_for_columns_ = true;
        NoteNotLooked("preprocess.graph", "which columns its rules choose is known at the ingest");
      }
    }
    CheckMix(storage::EffectiveLabel(dataset), schema.label);
    if (schema.label == transform::LabelKind::kNone) return;
    CheckLoss(storage::EffectiveLabel(dataset));
  }

  // Replaces rules by names.
  void NameColumns(transform::GraphSpec& graph, const transform::SampleSchema& schema) {
    const auto chosen = transform::Graph::Choose(graph, schema);
    for (const auto& [op, field, names] : chosen) {
      const std::string at = fmt::format("preprocess.graph[{}].{}", op, graph[op].value.type());
      chosen_.push_back({.path = config::JoinPath(at, field), .names = names});
    }
    transform::NameColumns(chosen, graph);
  }

  std::set<std::string> ProblemPaths() const {
    std::set<std::string> paths;
    for (const config::Problem& problem : problems_.items()) paths.insert(problem.path);
    return paths;
  }

  static std::string PathOf(const transform::GraphSpec& graph,
                            const transform::GraphProblem& problem) {
    const auto index = static_cast<size_t>(problem.op_index);
    if (index >= graph.size()) return "preprocess.graph";
    const std::string_view op = graph[index].value.type();
    return config::JoinPath(fmt::format("preprocess.graph[{}].{}", index, op), problem.field);
  }

  void CheckTensors(const transform::Graph& graph) {
    if (!graph.target()) {
      problems_.Add("preprocess.graph", "no op makes the column 'target', which the loss takes",
                    "add '- label: {into: target}'");
    }
    models::InputSpecs inputs;
    for (const transform::ColumnSchema& column : graph.inputs()) {
      inputs[column.name] = {column.shape, column.type == batch::DataType::kInt64};
    }
    if (const auto problem = spec_.model->FindInputProblem(inputs)) {
      problems_.Add("model", problem->message, problem->hint);
    }
    for (const auto& [path, problem] :
         models::FindInputsProblems(spec_.model, spec_.training, inputs)) {
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

  void CheckWorkers() {
    const auto leaves_out = [](const models::Downsampling* method) { return !method->IsNone(); };
    if (!spec_.preprocess.workers || !spec_.preprocess.workers->shards) return;
    if (std::ranges::any_of(spec_.training.downsampling->Methods(), leaves_out)) {
      problems_.Add("preprocess.workers.shards",
                    "cannot be used with downsampling, which chooses from all samples",
                    "leave out `shards`, or `training.downsampling`");
    }
    if (spec_.training.ranks > 1) {
      problems_.Add("preprocess.workers.shards",
                    "cannot be used with ranks, of which each reads its part of every batch",
                    "leave out `shards`, or `training.ranks`");
    }
  }

  void CheckScript() {
    CheckOtherNetworks();
    const auto file = spec_.model->File();
    if (!file || files_ == nullptr) return;
    auto kept = files_->Keep(file->path, "model.file", problems_);
    if (kept) spec_.model = spec_.model->WithFile(*std::move(kept));
  }

  // A pipeline brings only the network that is trained.
  void CheckOtherNetworks() {
    for (const models::Downsampling* method : spec_.training.downsampling->Methods()) {
      const std::optional<models::AuxiliaryModel> auxiliary = method->Auxiliary();
      if (!auxiliary || !auxiliary->model) continue;
      if (!(*auxiliary->model)->File()) continue;
      problems_.Add("training.downsampling.model", "the other model cannot be a TorchScript file",
                    "leave it out, or use another type");
    }
  }

  void CheckEvaluation(size_t i) {
    const evaluator::EvaluationSpec& evaluation = spec_.evaluation[i];
    const storage::DatasetSpec* dataset = Find(evaluation.dataset);
    if (dataset == nullptr) return;
    const std::string at = fmt::format("evaluation[{}]", i);
    const transform::SampleSchema schema = SchemaOf(evaluation.dataset);
    for (size_t m = 0; m < evaluation.measures.size(); ++m) {
      {
        const config::Problems::Scope scope(problems_, fmt::format("{}.measures[{}]", at, m));
        evaluation.measures[m]->CheckClasses(schema.num_classes, problems_);
      }
      const std::optional<bool> of_classes = evaluation.measures[m]->IsOfClasses();
      if (!of_classes || *of_classes == (schema.label == transform::LabelKind::kClass)) continue;
      problems_.Add(fmt::format("{}.measures[{}]", at, m),
                    fmt::format("{} does not fit the label of '{}', which is {}",
                                evaluation.measures[m]->Name(), evaluation.dataset,
                                transform::Describe(schema.label)),
                    *of_classes ? "real labels: mae, rmse, r2" : "classes: accuracy, f1, roc_auc");
    }
    CheckSlices(at, evaluation, schema);
    if (evaluation.dataset == spec_.preprocess.dataset) return;
    // Rules could choose others there. Where the data are, the columns may be known.
    if (waits_for_columns_ && peek_) {
      problems_.Add(
          at + ".dataset",
          fmt::format("rules of the graph choose columns, but those of '{}' are not known "
                      "yet, so '{}' may have others",
                      spec_.preprocess.dataset, evaluation.dataset),
          fmt::format("list the columns in the graph, or in the format of '{}'",
                      spec_.preprocess.dataset));
    }
    for (const auto& problem : transform::Graph::Check(spec_.preprocess.graph, schema)) {
      problems_.Add(at + ".dataset",
                    fmt::format("'{}' cannot pass through the graph: {}", evaluation.dataset,
                                problem.message),
                    problem.hint);
    }
  }

  // Notes a mistake in an expression over the samples of a dataset.
  void CheckExpression(const std::string& path, const std::string& text, const std::string& dataset,
                       std::optional<expressions::Type> wanted) {
    const auto known = known_.find(dataset);
    if (known == known_.end()) return;
    storage::DatasetSpec spec = known->second;
    const auto found = found_.find("datasets." + dataset);
    if (found != found_.end() && found->second.columns && spec.format->LeavesColumnsOpen()) {
      spec.format->SetColumns(*found->second.columns);
    }
    const absl::Status status = samples::CheckExpression(spec, text, wanted);
    if (!status.ok()) problems_.Add(path, std::string(status.message()), "");
  }

  void CheckSelectionWhere(const std::string& path, const selector::SelectionSpec& selection) {
    const std::vector<selector::SelectionSpec> members = selection->members();
    for (size_t i = 0; i < members.size(); ++i) {
      CheckSelectionWhere(fmt::format("{}.steps[{}].use", path, i), members[i]);
    }
    if (!members.empty()) return;
    const std::optional<std::string> where = selection->TakesFrom().where;
    if (where) {
      CheckExpression(path + ".where", *where, spec_.preprocess.dataset, expressions::Type::kTruth);
    }
  }

  // Notes what a policy asks of samples that they cannot answer.
  void CheckTrigger(const std::string& at, const TriggerSpec& trigger) {
    {
      const config::Problems::Scope scope(problems_, at);
      trigger->CheckSamples(SamplesOf(spec_.preprocess.dataset), problems_);
    }
    const std::span<const TriggerSpec> members = trigger->members();
    for (size_t i = 0; i < members.size(); ++i) {
      CheckTrigger(fmt::format("{}.of[{}]", at, i), members[i]);
    }
  }

  void CheckSlices(const std::string& at, const evaluator::EvaluationSpec& evaluation,
                   const transform::SampleSchema& schema) {
    for (size_t i = 0; i < evaluation.slices.size(); ++i) {
      const std::string path = fmt::format("{}.slices[{}]", at, i);
      if (const auto* by_value = std::get_if<evaluator::ExpressionSlices>(&evaluation.slices[i])) {
        CheckExpression(path + ".value", by_value->value, evaluation.dataset, std::nullopt);
        continue;
      }
      const auto* column = std::get_if<evaluator::ColumnSlices>(&evaluation.slices[i]);
      if (column == nullptr && schema.label != transform::LabelKind::kClass) {
        problems_.Add(path, fmt::format("the label of '{}' has no classes", evaluation.dataset),
                      "make slices of a column: {type: column, name: ...}");
      }
      if (column != nullptr)
        transform::CheckColumn(SamplesOf(evaluation.dataset), path, column->name, problems_);
    }
  }

  PipelineSpec& spec_;
  config::Problems& problems_;
  config::Problems& warnings_;
  std::vector<NotLooked>& not_looked_;
  std::vector<ValuesSeen>& values_;
  std::vector<ChosenColumns>& chosen_;
  std::optional<TrainedOn>& trained_on_;
  const std::string& base_folder_;
  PipelineFiles* const files_;
  const PeekAtDataset& peek_;
  const RegisteredDatasets& registered_;
  std::map<std::string, storage::DatasetSpec> known_;
  // By path in the document.
  std::map<std::string, CsvFindings> found_;
  std::map<std::string, DatasetPeek> peeks_;
  // Whether rules of the graph cannot choose before the ingest.
  bool waits_for_columns_ = false;
};

}  // namespace

std::string ChosenColumns::Describe() const {
  return fmt::format("{} {}: {}", names.size(), names.size() == 1 ? "column" : "columns",
                     transform::FirstOf(names));
}

CheckedPipeline CheckPipeline(const PipelineSource& source, const RegisteredDatasets& registered) {
  CheckedPipeline checked;
  static_cast<config::Decoded<PipelineSpec>&>(checked) =
      config::Decode<PipelineSpec>({.text = source.text,
                                    .name = source.file_name,
                                    .variables = source.variables,
                                    .overrides = source.overrides});
  // A field that could not be read has its default, which is not checked.
  if (!checked.problems.empty()) return checked;
  checked.warnings = checked.problems;  // Without any: the document with its positions.
  Checker(checked, source, registered).Run();
  if (checked.problems.empty()) checked.value.preprocess.graph = TrainedGraph(checked.value);
  return checked;
}

}  // namespace tidemill::supervisor
