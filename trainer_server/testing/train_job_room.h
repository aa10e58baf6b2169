// The trainer server with its zygote and its jobs, and stores in memory with real gRPC servers.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "devices/pretended_devices.h"
#include "model_store/client/model_store_client.h"
#include "rpc/access/tokens.h"
#include "rpc/server.h"
#include "selector/client/selector_client.h"
#include "trainer_server/client/trainer_client.h"
#include "trainer_server/testing/memory_stores.h"
#include "trainer_server/trainer_service.h"

namespace tidemill::trainer_server::testing {

namespace fs = std::filesystem;

inline constexpr int64_t kRun = 7;
inline constexpr char kDataset[] =
    "path: /data\nformat: {type: csv, columns: [a, b, c]}\n"
    "label: {column: c, classes: [DOWN, UP]}\n";
inline constexpr char kGraph[] =
    "- parse_csv: {columns: [a, b]}\n- standardize: {columns: all}\n"
    "- stack: {columns: all, into: input}\n- label: {into: target}\n";
inline constexpr char kModel[] = "{type: mlp, hidden: [16], outputs: 2, dropout: 0.2}\n";
inline constexpr char kTraining[] =
    "device: cpu\nepochs: 3\nbatch_size: 32\noptimizer: {type: adam, lr: 0.01}\nseed: 42\n"
    "checkpoint_every: 200\nnum_threads: 1\n";

inline std::string TrainProgram() {
  return fs::read_symlink("/proc/self/exe").parent_path() / "tidemill-train";
}

class TrainJob : public ::testing::Test {
 protected:
  TrainJob() {
    char pattern[] = "/tmp/train-XXXXXX";
    folder_ = mkdtemp(pattern);
    state_ = folder_ + "/state";
    token_file_ = folder_ + "/tokens";
    EXPECT_TRUE(rpc::Tokens::Create(token_file_).ok());
    tokens_ = rpc::Tokens::Read(token_file_).value();
    job_tokens_ = rpc::JobTokens::Open(tokens_, folder_ + "/job-tokens").value();
    stores_ = Serve("stores", {&storage_, &selector_service_, &model_store_service_});
    StartServer("");
  }
  ~TrainJob() override {
    StopServer();
    stores_.reset();
    fs::remove_all(folder_);
  }

  std::unique_ptr<rpc::Server> Serve(const std::string& name,
                                     const std::vector<grpc::Service*>& services) {
    auto server = rpc::Server::Start({.listen = "unix:" + folder_ + "/" + name}, tokens_, services);
    EXPECT_TRUE(server.ok()) << server.status().ToString();
    return *std::move(server);
  }
  rpc::Peer PeerOf(const std::string& endpoint) {
    return {.endpoint = endpoint, .token = tokens_.TokenOf(rpc::v1::ROLE_SERVICE).value()};
  }

  // Arms `failpoints` in the jobs. Each fires in one process only.
  void StartServer(const std::string& failpoints) {
    const std::string once = folder_ + "/once";
    fs::remove_all(once);
    fs::create_directory(once);
    setenv("TIDEMILL_FAILPOINTS", failpoints.c_str(), 1);
    setenv("TIDEMILL_FAILPOINTS_ONCE", once.c_str(), 1);
    auto processes = TrainingProcesses::Start(TrainProgram());
    unsetenv("TIDEMILL_FAILPOINTS");
    ASSERT_TRUE(processes.ok()) << processes.status().ToString();
    processes_ = *std::move(processes);
    selector_ = std::make_unique<selector::SelectorClient>(PeerOf(stores_->endpoint()));
    model_store_ = std::make_unique<model_store::ModelStoreClient>(PeerOf(stores_->endpoint()));
    trainings_ = std::make_unique<Trainings>(TrainingsOptions{.folder = state_,
                                                              .endpoints = Endpoints(),
                                                              .tokens = job_tokens_.get(),
                                                              .devices = devices_.get(),
                                                              .config = config_},
                                             *processes_, *selector_, *model_store_);
    service_ = std::make_unique<TrainerService>(*trainings_);
    server_ = Serve("trainer", {service_.get()});
    client_ = std::make_unique<TrainerClient>(PeerOf(server_->endpoint()));
  }
  // Ends the server, and starts another one whose folder nothing of this one is in.
  void MoveToServer(const std::string& name, const std::string& failpoints = "") {
    StopServer();
    state_ = folder_ + "/" + name;
    StartServer(failpoints);
  }
  void StopServer() {
    if (trainings_ != nullptr) trainings_->Shutdown();
    server_.reset();
    service_.reset();
    trainings_.reset();
    processes_.reset();
  }

  rpc::v1::Endpoints Endpoints() const {
    rpc::v1::Endpoints endpoints;
    for (const char* const service : {"storage", "selector", "model_store"}) {
      (*endpoints.mutable_services())[service] = stores_->endpoint();
    }
    return endpoints;
  }

  rpc::v1::Command CommandOf(int64_t epoch = 1) {
    rpc::v1::Command command;
    command.set_request_id(rpc::NewRequestId());
    command.set_run_id(kRun);
    command.set_run_epoch(epoch);
    return command;
  }
  absl::StatusOr<std::string> Fit(int64_t trigger) { return FitGraph(kGraph, trigger); }
  absl::StatusOr<std::string> FitGraph(const std::string& graph, int64_t trigger = 1) {
    v1::FitGraphRequest request;
    *request.mutable_command() = CommandOf();
    request.set_trigger(trigger);
    request.set_dataset_id(1);
    request.set_dataset_spec(kDataset);
    request.set_graph(graph);
    ASSIGN_OR_RETURN(const v1::FitGraphResponse response, client_->FitGraph(request));
    return response.fitted_digest();
  }
  absl::StatusOr<v1::StoreModelResponse> Store(int64_t trigger) {
    v1::StoreModelRequest request;
    *request.mutable_command() = CommandOf();
    request.set_trigger(trigger);
    return client_->StoreModel(request);
  }
  v1::StartTrainingRequest Request(int64_t trigger, int64_t parent = 0,
                                   const std::string& training = kTraining) {
    v1::StartTrainingRequest request;
    *request.mutable_command() = CommandOf();
    request.set_trigger(trigger);
    request.set_dataset_id(1);
    request.set_dataset_spec(kDataset);
    request.set_graph(kGraph);
    request.set_fitted_trigger(1);
    request.set_model(kModel);
    request.set_training(training);
    request.set_parent_model_id(parent);
    return request;
  }
  // Starts a training and watches it until its end. FAILED_PRECONDITION, with the training's error,
  // when it FAILED.
  absl::StatusOr<v1::WatchTrainingResponse> Train(const v1::StartTrainingRequest& request) {
    RETURN_IF_ERROR(client_->StartTraining(request));
    ASSIGN_OR_RETURN(auto last,
                     client_->WatchTraining(RunId{kRun}, request.trigger(),
                                            [](const auto&) { return absl::OkStatus(); }));
    if (last.state() == v1::TRAINING_STATE_DONE) return last;
    if (last.state() == v1::TRAINING_STATE_FAILED) return FailedPrecondition("{}", last.error());
    return Cancelled("the training was stopped");
  }
  // Deletes the run here and in the model store.
  void DeleteRun() {
    EXPECT_TRUE(client_->DeleteRun(CommandOf()).ok());
    model_store_service_.ForgetJobs();
  }
  // Fits, trains and stores trigger 1 of the run, and deletes it. Returns the digest of the
  // weights.
  std::string DigestOfTraining(const std::string& failpoints,
                               const std::string& training = kTraining) {
    StopServer();
    StartServer(failpoints);
    EXPECT_TRUE(Fit(1).ok());
    const auto done = Train(Request(1, 0, training));
    EXPECT_TRUE(done.ok()) << failpoints << ": " << done.status().ToString();
    const auto stored = Store(1);
    EXPECT_TRUE(stored.ok()) << stored.status().ToString();
    DeleteRun();
    return stored.ok() ? stored->weights_digest() : "";
  }

  TrainerConfig config_;
  std::string folder_;
  std::string state_;
  std::string token_file_;
  rpc::Tokens tokens_;
  MemoryStorage storage_;
  MemorySelector selector_service_;
  MemoryModelStore model_store_service_;
  std::unique_ptr<rpc::Server> stores_;
  std::unique_ptr<rpc::JobTokens> job_tokens_;
  std::unique_ptr<devices::Devices> devices_ =
      *devices::PretendDevices(fmt::format("4x80GiB@{}", getpid()));
  std::unique_ptr<TrainingProcesses> processes_;
  std::unique_ptr<selector::SelectorClient> selector_;
  std::unique_ptr<model_store::ModelStoreClient> model_store_;
  std::unique_ptr<Trainings> trainings_;
  std::unique_ptr<TrainerService> service_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<TrainerClient> client_;
};

}  // namespace tidemill::trainer_server::testing
