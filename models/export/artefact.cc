#include "models/export/artefact.h"

#include <algorithm>
#include <set>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "config/config.h"
#include "samples/dataset_schema.h"

namespace tidemill::models {
namespace {

// The fields that ops read by name, for a dataset whose columns its spec does not list.
std::vector<std::string> FieldsOf(const transform::GraphSpec& graph) {
  std::set<std::string> names;
  for (const auto& op : graph) {
    for (const std::string& name : op.value->Reads().names) names.insert(name);
  }
  return {names.begin(), names.end()};
}

}  // namespace

absl::StatusOr<Artefact> ReadArtefact(const std::string& folder) {
  Artefact artefact;
  ASSIGN_OR_RETURN(artefact.spec_text, files::Read(files::Join(folder, kSpecPart)));
  ASSIGN_OR_RETURN(artefact.spec, DecodeArtefactSpec(artefact.spec_text));
  ASSIGN_OR_RETURN(artefact.weights, files::Read(files::Join(folder, kWeightsPart)));
  ASSIGN_OR_RETURN(artefact.target_scale, ReadTargetScale(artefact.spec, folder));
  ASSIGN_OR_RETURN(artefact.network, DecodeNetwork(artefact.spec.model, artefact.weights));
  return artefact;
}

absl::StatusOr<ArtefactGraph> ReadGraph(const Artefact& artefact, const std::string& folder) {
  transform::SampleSchema schema = samples::SchemaOf(artefact.spec.dataset);
  if (!schema.columns && schema.payload == batch::PayloadKind::kCsv) {
    schema.columns = FieldsOf(artefact.spec.graph);
  }
  ASSIGN_OR_RETURN(transform::Graph graph, transform::Graph::Build(artefact.spec.graph, schema));
  ArtefactGraph bound{.graph = std::move(graph), .fitted = std::nullopt};
  if (!bound.graph.needs_fit()) return bound;
  ASSIGN_OR_RETURN(const std::string bytes, files::Read(files::Join(folder, kFittedPart)));
  ASSIGN_OR_RETURN(bound.fitted, transform::FittedState::Decode(bytes));
  return bound;
}

AnswerSpec AnswerOf(const Artefact& artefact, const transform::Graph& graph) {
  const int64_t num_outputs = artefact.spec.model->NumOutputs();
  const auto target = graph.target();
  AnswerSpec answer{.classes = artefact.spec.classes, .num_outputs = num_outputs};
  answer.is_class = target && target->type == batch::DataType::kInt64;
  answer.has_single_logit = answer.is_class && num_outputs == 1 &&
                            ClassOutputsOf(artefact.spec) == ClassOutputs::kSigmoid;
  answer.is_single_number = !answer.is_class && num_outputs == 1;
  answer.mean = artefact.target_scale.mean;
  answer.deviation = artefact.target_scale.deviation;
  return answer;
}

bool HasProgramOfUser(const Artefact& artefact) {
  return !artefact.network.module->program().empty() ||
         !transform::AllRunsWith(artefact.spec.graph).empty();
}

std::string ConfigOf(const Artefact& artefact, std::string_view preprocessing) {
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  for (const auto& [name, input] : artefact.network.inputs) {
    inputs.push_back({{"name", name},
                      {"dtype", input.is_integer ? "int64" : "float32"},
                      {"shape", input.shape}});
  }
  nlohmann::ordered_json json = {{"library_name", "tidemill"},
                                 {"model_type", artefact.spec.model.type()},
                                 {"network", config::Print(artefact.spec.model)},
                                 {"preprocessing", preprocessing},
                                 {"inputs", inputs},
                                 {"num_outputs", artefact.spec.model->NumOutputs()}};
  if (transform::StandardizesTarget(artefact.spec.graph)) {
    json["target"] = {{"mean", artefact.target_scale.mean},
                      {"deviation", artefact.target_scale.deviation}};
  }
  for (size_t i = 0; i < artefact.spec.classes.size(); ++i) {
    json["id2label"][std::to_string(i)] = artefact.spec.classes[i];
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tidemill::models
