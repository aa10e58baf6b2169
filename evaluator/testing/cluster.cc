#include "evaluator/testing/cluster.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/files.h"
#include "config/config.h"
#include "evaluator/testing/samples.h"
#include "models/artefact_spec.h"

namespace tidemill::evaluator::testing {
namespace {

std::string NewFolder() {
  std::string pattern = ::testing::TempDir() + "evaluator_XXXXXX";
  return mkdtemp(pattern.data());
}

std::string ArtefactYaml(const std::string& model_yaml) {
  models::ArtefactSpec spec;
  spec.model = *config::Read<models::ModelSpec>(model_yaml, "model");
  spec.graph = *config::Read<transform::GraphSpec>(kGraph, "graph");
  spec.dataset = *config::Read<storage::DatasetSpec>(kDatasetSpec, "dataset");
  spec.classes = {"LOW", "HIGH"};
  return models::EncodeArtefactSpec(spec);
}

}  // namespace

Cluster::Cluster(int64_t num_samples, OddSamples odd)
    : folder_(NewFolder()),
      token_file_(files::Join(folder_, "tokens")),
      job_token_file_(files::Join(folder_, "job-token")),
      storage_(num_samples, std::move(odd)) {
  rpc::Tokens::Create(token_file_).IgnoreError();
  tokens_ = *rpc::Tokens::Read(token_file_);
  files::WriteAtomically(job_token_file_, *tokens_.TokenOf(rpc::v1::ROLE_SERVICE)).IgnoreError();
  const auto serve = [&](const std::string& name, grpc::Service* service) {
    return *rpc::Server::Start({.listen = "unix:" + folder_ + "/" + name}, tokens_, {service});
  };
  storage_server_ = serve("storage", &storage_);
  database_ = *db::Database::Connect(test_database_.connection_string());
  store_ = *model_store::ModelStore::Open(*database_, folder_);
  kept_files_.emplace(*model_store::KeptFiles::Open(files::Join(folder_, "files")));
  kept_jobs_ = std::make_unique<model_store::KeptJobs>(*database_, files::Join(folder_, "models"));
  store_service_ =
      std::make_unique<model_store::ModelStoreService>(*store_, *kept_files_, *kept_jobs_);
  store_server_ = serve("model_store", store_service_.get());
}

Cluster::~Cluster() { std::filesystem::remove_all(folder_); }

int64_t Cluster::Put(int64_t trigger, const std::string& weights, const std::string& model_yaml) {
  const std::string spec = ArtefactYaml(model_yaml);
  rpc::v1::Command command;
  command.set_run_id(1);
  model_store::v1::Model model;
  model.set_run_id(1);
  model.set_trigger(trigger);
  const auto announce = [&](std::string_view name, const std::string& bytes) {
    model_store::v1::ModelPart& part = *model.add_parts();
    part.set_name(std::string(name));
    part.set_size_bytes(static_cast<int64_t>(bytes.size()));
    part.set_digest(Sha256(bytes));
  };
  announce(models::kWeightsPart, weights);
  announce(models::kSpecPart, spec);
  const auto upload = *store_->Begin(command, model);
  upload->Append(weights + spec).IgnoreError();
  return upload->Finish()->value;
}

void Cluster::Damage(int64_t model_id) {
  const std::string digest = store_->Get(ModelId{model_id})->parts(0).digest();
  std::fstream file(folder_ + "/models/1/" + digest,
                    std::ios::in | std::ios::out | std::ios::binary);
  const char first = static_cast<char>(file.get());
  file.seekp(0);
  file.put(static_cast<char>(first ^ 1));
}

rpc::v1::Endpoints Cluster::endpoints() const {
  rpc::v1::Endpoints endpoints;
  (*endpoints.mutable_services())["storage"] = storage_server_->endpoint();
  (*endpoints.mutable_services())["model_store"] = store_server_->endpoint();
  endpoints.set_token_file(job_token_file_);
  return endpoints;
}

v1::EvaluationJob Cluster::Job() const {
  v1::EvaluationJob job;
  v1::StartEvaluationRequest& request = *job.mutable_evaluation();
  request.mutable_snapshot()->set_dataset_id(1);
  request.set_dataset_spec(kDatasetSpec);
  request.set_evaluation_spec("{dataset: test, measures: [accuracy]}");
  *job.mutable_endpoints() = endpoints();
  job.set_num_threads(1);
  job.set_model_bytes(int64_t{1} << 30);
  return job;
}

v1::JobWindow WindowOf(int64_t index, std::optional<int64_t> from, std::optional<int64_t> to,
                       const std::vector<int64_t>& model_ids) {
  v1::JobWindow window;
  window.set_window_index(index);
  if (from) {
    window.mutable_window()->mutable_from()->set_event_time(10 * *from);
    window.mutable_window()->mutable_from()->set_sample_key(*from + 1);
  }
  if (to) {
    window.mutable_window()->mutable_to()->set_event_time(10 * *to);
    window.mutable_window()->mutable_to()->set_sample_key(*to + 1);
  }
  for (const int64_t model_id : model_ids) window.mutable_window()->add_model_ids(model_id);
  return window;
}

}  // namespace tidemill::evaluator::testing
