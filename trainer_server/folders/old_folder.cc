#include "trainer_server/folders/old_folder.h"

#include <utility>

#include "google/protobuf/util/json_util.h"
#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/paths/regular_file.h"
#include "config/documents/document.h"

namespace tidemill::trainer_server {
namespace {

using Node = config::Node;
using nlohmann::json;

// Numbers that YAML and protobuf's JSON write in different ways.
std::string NumberText(const std::string& text) {
  if (text == ".nan") return "NaN";
  if (text == ".inf") return "Infinity";
  if (text == "-.inf") return "-Infinity";
  return text;
}

// Scalars become texts, which protobuf's JSON takes for numbers, too.
json ToJson(const Node& node) {
  json made;
  switch (node.kind) {
    case Node::Kind::kNull:
      break;
    case Node::Kind::kScalar:
      made = NumberText(node.text);
      break;
    case Node::Kind::kList:
      made = json::array();
      for (const auto& item : node.items) made.push_back(ToJson(*item));
      break;
    case Node::Kind::kMap:
      made = json::object();
      for (size_t i = 0; i < node.keys.size(); ++i) {
        made[node.keys[i]->text] = ToJson(*node.items[i]);
      }
      break;
  }
  return made;
}

absl::StatusOr<json> ReadYaml(const std::string& folder, std::string_view name) {
  const std::string path = files::Join(folder, name);
  ASSIGN_OR_RETURN(const std::string text, files::ReadRegular(path, kMaxJobFileBytes));
  const auto document = config::ReadDocument({.text = text, .name = path});
  if (!document->problems.empty() || document->root->kind != Node::Kind::kMap) {
    return DataLoss("{} cannot be read", path);
  }
  return ToJson(*document->root);
}

// Reads the fields of the message. The other fields of an old file only led to the services.
absl::Status Fill(const json& fields, std::string_view name, google::protobuf::Message& message) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto parsed = google::protobuf::util::JsonStringToMessage(fields.dump(), &message, options);
  return parsed.ok() ? absl::OkStatus() : DataLoss("{}: {}", name, parsed.ToString());
}

}  // namespace

absl::StatusOr<v1::WatchTrainingResponse> ReadOldResult(const std::string& folder) {
  ASSIGN_OR_RETURN(const json fields, ReadYaml(folder, kOldResultFile));
  v1::WatchTrainingResponse last;
  if (fields.contains("error") && fields["error"].is_string()) last.set_error(fields["error"]);
  last.set_state(last.error().empty() ? v1::TRAINING_STATE_DONE : v1::TRAINING_STATE_FAILED);
  RETURN_IF_ERROR(Fill(fields, kOldResultFile, *last.mutable_result()));
  return last;
}

absl::StatusOr<v1::StartTrainingRequest> ReadOldTraining(const std::string& folder) {
  ASSIGN_OR_RETURN(json fields, ReadYaml(folder, kOldJobFile));
  fields["command"] = {{"run_id", fields["run_id"]}};
  fields["dataset_spec"] = fields["dataset"];
  v1::StartTrainingRequest request;
  RETURN_IF_ERROR(Fill(fields, kOldJobFile, request));
  return request;
}

absl::StatusOr<v1::StoreModelResponse> ReadOldStored(const std::string& folder) {
  ASSIGN_OR_RETURN(const json fields, ReadYaml(folder, kOldStoredFile));
  ASSIGN_OR_RETURN(const v1::WatchTrainingResponse last, ReadOldResult(folder));
  v1::StoreModelResponse stored;
  RETURN_IF_ERROR(Fill(fields, kOldStoredFile, stored));
  stored.set_weights_digest(last.result().weights_digest());
  return stored;
}

}  // namespace tidemill::trainer_server
