#include "model_store/models_table.h"

#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace tidemill::model_store {
namespace {

constexpr char kModelColumns[] = R"(
  model_id, run_id, trigger, parent_model_id, training_set_digest, num_samples, model_spec,
  training_digest, fit_seconds, train_seconds, first_run_id, first_trigger, first_model_id,
  (extract(epoch FROM created_at) * 1000000)::bigint AS created_micros,
  (extract(epoch FROM removed_at) * 1000000)::bigint AS removed_micros)";

constexpr char kFromModels[] = R"(
  FROM model_store.models
  WHERE ($1::bigint IS NULL OR run_id = $1)
    AND ($2::bigint IS NULL OR trigger = $2)
    AND ($3::bigint IS NULL OR model_id = $3)
    AND ($4::text IS NULL OR training_digest = $4 AND removed_at IS NULL)
  ORDER BY run_id, trigger)";

// $1 run or NULL, $2 trigger or NULL, $3 runs or {}, $4 whether removed or NULL.
constexpr char kFromMatching[] = R"(
  FROM model_store.models
  WHERE ($1::bigint IS NULL OR run_id = $1)
    AND ($2::bigint IS NULL OR trigger = $2)
    AND ($3::bigint[] = '{}' OR run_id = ANY($3::bigint[]))
    AND ($4::boolean IS NULL OR (removed_at IS NOT NULL) = $4) )";

constexpr char kSelectResult[] = R"(
  SELECT training_result FROM model_store.models WHERE model_id = $1)";

constexpr char kSelectParts[] = R"(
  SELECT name, size_bytes, digest FROM model_store.parts WHERE model_id = $1 ORDER BY position)";

constexpr char kSelectClasses[] = R"(
  SELECT name FROM model_store.classes WHERE model_id = $1 ORDER BY position)";

constexpr char kInsertModel[] = R"(
  INSERT INTO model_store.models
    (run_id, trigger, parent_model_id, training_set_digest, num_samples, model_spec,
     training_digest, training_result, fit_seconds, train_seconds, first_run_id, first_trigger,
     first_model_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  ON CONFLICT (run_id, trigger) DO NOTHING
  RETURNING model_id)";

constexpr char kInsertPart[] = R"(
  INSERT INTO model_store.parts (model_id, position, name, size_bytes, digest)
  VALUES ($1, $2, $3, $4, $5))";

constexpr char kInsertClass[] = R"(
  INSERT INTO model_store.classes (model_id, position, name) VALUES ($1, $2, $3))";

constexpr char kMarkRemoved[] = R"(
  UPDATE model_store.models SET removed_at = now()
  WHERE run_id = $1 AND trigger < $2 AND removed_at IS NULL
    AND NOT trigger = ANY ($3::bigint[]))";

constexpr char kDeleteRun[] = R"(DELETE FROM model_store.models WHERE run_id = $1)";

constexpr std::optional<int64_t> kAny = std::nullopt;
constexpr std::optional<std::string> kAnyDigest = std::nullopt;

std::string OrderOf(const v1::ListModelsRequest& request) {
  const std::string_view direction = request.descending() ? "DESC" : "ASC";
  switch (request.order()) {
    case v1::MODEL_ORDER_MODEL:
      return fmt::format("ORDER BY model_id {}", direction);
    case v1::MODEL_ORDER_RUN:
      return fmt::format("ORDER BY run_id {}, trigger DESC", direction);
    case v1::MODEL_ORDER_TRIGGER:
      return fmt::format("ORDER BY trigger {}, run_id DESC", direction);
    case v1::MODEL_ORDER_SAMPLES:
      return fmt::format("ORDER BY num_samples {}, run_id DESC, trigger DESC", direction);
    case v1::MODEL_ORDER_DURATION:
      return fmt::format("ORDER BY fit_seconds + train_seconds {}, run_id DESC, trigger DESC",
                         direction);
    default:
      return "ORDER BY run_id, trigger";
  }
}

std::optional<bool> IsRemoved(v1::ModelState state) {
  if (state == v1::MODEL_STATE_UNSPECIFIED) return std::nullopt;
  return state == v1::MODEL_STATE_REMOVED;
}

void SetTime(int64_t micros, google::protobuf::Timestamp& time) {
  time.set_seconds(micros / 1'000'000);
  time.set_nanos(static_cast<int32_t>(micros % 1'000'000 * 1000));
}

std::optional<int64_t> UnlessZero(int64_t number) {
  return number == 0 ? std::nullopt : std::optional(number);
}

void SetReuse(const pqxx::row& row, v1::Model& model) {
  model.set_training_digest(row["training_digest"].as<std::string>(""));
  model.set_fit_seconds(row["fit_seconds"].as<double>());
  model.set_train_seconds(row["train_seconds"].as<double>());
  if (row["first_run_id"].is_null()) return;
  rpc::v1::FirstTraining& first = *model.mutable_reused_from();
  first.set_run_id(row["first_run_id"].as<int64_t>());
  first.set_trigger(row["first_trigger"].as<int64_t>());
  first.set_model_id(row["first_model_id"].as<int64_t>());
}

}  // namespace

std::optional<v1::Model> ModelsTable::Find(RunId run, int64_t trigger) {
  std::vector<v1::Model> models = Select(run.value, trigger, kAny, kAnyDigest);
  return models.empty() ? std::nullopt : std::optional(std::move(models.front()));
}

std::optional<v1::Model> ModelsTable::Find(ModelId model) {
  std::vector<v1::Model> models = Select(kAny, kAny, model.value, kAnyDigest);
  return models.empty() ? std::nullopt : std::optional(std::move(models.front()));
}

std::vector<v1::Model> ModelsTable::List(RunId run) {
  return Select(run.value, kAny, kAny, kAnyDigest);
}

ModelsTable::Page ModelsTable::List(const v1::ListModelsRequest& request) {
  const std::string statement = std::string("SELECT ") + kModelColumns +
                                ", count(*) OVER () AS num_matching " + kFromMatching +
                                OrderOf(request) + " LIMIT $5";
  Page page;
  for (const pqxx::row& row :
       work_.exec_params(statement, UnlessZero(request.run_id()), UnlessZero(request.trigger()),
                         fmt::format("{{{}}}", fmt::join(request.run_ids(), ",")),
                         IsRemoved(request.state()), UnlessZero(request.limit()))) {
    page.models.push_back(ToModel(row));
    page.num_matching = row["num_matching"].as<int64_t>();
  }
  return page;
}

std::vector<v1::Model> ModelsTable::WithDigest(const std::string& training_digest) {
  return Select(kAny, kAny, kAny, training_digest);
}

std::vector<v1::Model> ModelsTable::Select(std::optional<int64_t> run,
                                           std::optional<int64_t> trigger,
                                           std::optional<int64_t> model,
                                           const std::optional<std::string>& digest) {
  static const std::string statement = std::string("SELECT ") + kModelColumns + kFromModels;
  std::vector<v1::Model> models;
  for (const pqxx::row& row : work_.exec_params(statement, run, trigger, model, digest)) {
    models.push_back(ToModel(row));
  }
  return models;
}

rpc::v1::TrainingResult ModelsTable::ResultOf(ModelId model) {
  rpc::v1::TrainingResult result;
  const pqxx::result rows = work_.exec_params(kSelectResult, model.value);
  if (!rows.empty()) result.ParseFromString(pqxx::binarystring(rows[0][0]).str());
  return result;
}

std::optional<ModelId> ModelsTable::Insert(const v1::Model& model,
                                           const rpc::v1::TrainingResult& result) {
  std::optional<std::string> digest;
  std::string kept;
  if (!model.training_digest().empty()) {
    digest = model.training_digest();
    kept = result.SerializeAsString();
  }
  const rpc::v1::FirstTraining& first = model.reused_from();
  const pqxx::result rows = work_.exec_params(
      kInsertModel, model.run_id(), model.trigger(), UnlessZero(model.parent_model_id()),
      model.training_set_digest(), model.num_samples(), model.model(), digest,
      pqxx::binarystring(kept), model.fit_seconds(), model.train_seconds(),
      UnlessZero(first.run_id()), UnlessZero(first.trigger()), UnlessZero(first.model_id()));
  if (rows.empty()) return std::nullopt;
  const auto model_id = rows[0][0].as<int64_t>();
  for (int i = 0; i < model.parts_size(); ++i) {
    const v1::ModelPart& part = model.parts(i);
    work_.exec_params(kInsertPart, model_id, i, part.name(), part.size_bytes(), part.digest());
  }
  for (int i = 0; i < model.classes_size(); ++i) {
    work_.exec_params(kInsertClass, model_id, i, model.classes(i));
  }
  return ModelId{model_id};
}

int64_t ModelsTable::MarkRemoved(RunId run, int64_t before, const std::vector<int64_t>& except) {
  const std::string triggers = fmt::format("{{{}}}", fmt::join(except, ","));
  return static_cast<int64_t>(
      work_.exec_params(kMarkRemoved, run.value, before, triggers).affected_rows());
}

int64_t ModelsTable::DeleteRun(RunId run) {
  return static_cast<int64_t>(work_.exec_params(kDeleteRun, run.value).affected_rows());
}

v1::Model ModelsTable::ToModel(const pqxx::row& row) {
  v1::Model model;
  model.set_model_id(row["model_id"].as<int64_t>());
  model.set_run_id(row["run_id"].as<int64_t>());
  model.set_trigger(row["trigger"].as<int64_t>());
  model.set_parent_model_id(row["parent_model_id"].as<int64_t>(0));
  model.set_training_set_digest(row["training_set_digest"].as<std::string>());
  model.set_num_samples(row["num_samples"].as<int64_t>());
  model.set_model(row["model_spec"].as<std::string>());
  SetTime(row["created_micros"].as<int64_t>(), *model.mutable_created_at());
  if (!row["removed_micros"].is_null()) {
    SetTime(row["removed_micros"].as<int64_t>(), *model.mutable_removed_at());
  }
  SetReuse(row, model);
  for (const pqxx::row& part_row : work_.exec_params(kSelectParts, model.model_id())) {
    v1::ModelPart& part = *model.add_parts();
    part.set_name(part_row["name"].as<std::string>());
    part.set_size_bytes(part_row["size_bytes"].as<int64_t>());
    part.set_digest(part_row["digest"].as<std::string>());
  }
  for (const pqxx::row& class_row : work_.exec_params(kSelectClasses, model.model_id())) {
    model.add_classes(class_row["name"].as<std::string>());
  }
  return model;
}

}  // namespace tidemill::model_store
