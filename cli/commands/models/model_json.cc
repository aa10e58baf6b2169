#include "cli/commands/models/model_json.h"

#include "base/time.h"

namespace tidemill::cli {

int64_t BytesOf(const model_store::v1::Model& model) {
  int64_t bytes = 0;
  for (const model_store::v1::ModelPart& part : model.parts()) bytes += part.size_bytes();
  return bytes;
}

nlohmann::ordered_json ModelToJson(const model_store::v1::Model& model) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const model_store::v1::ModelPart& part : model.parts()) {
    parts.push_back(
        {{"name", part.name()}, {"bytes", part.size_bytes()}, {"sha256", part.digest()}});
  }
  nlohmann::ordered_json json = {
      {"model", model.model_id()}, {"run", model.run_id()}, {"trigger", model.trigger()}};
  json["parent"] = model.parent_model_id() == 0 ? nlohmann::ordered_json(nullptr)
                                                : nlohmann::ordered_json(model.parent_model_id());
  json["samples"] = model.num_samples();
  json["training_set_digest"] = model.training_set_digest();
  json["classes"] = model.classes();
  json["spec"] = model.model();
  json["parts"] = parts;
  if (model.has_removed_at()) {
    json["removed_at"] = FormatTimestamp({model.removed_at().seconds() * 1'000'000});
  }
  return json;
}

}  // namespace tidemill::cli
