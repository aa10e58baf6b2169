// The trainer server with its zygote and its jobs, against stores that live in memory behind real
// gRPC servers.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "batch/wire.h"
#include "model_store/client/model_store_client.h"
#include "rpc/byte_frames.h"
#include "rpc/frame_reader.h"
#include "rpc/server.h"
#include "rpc/tokens.h"
#include "selector/client/selector_client.h"
#include "tidemill/model_store/v1/model_store.grpc.pb.h"
#include "tidemill/selector/v1/selector.grpc.pb.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"
#include "trainer_server/client/trainer_client.h"
#include "trainer_server/trainer_service.h"

namespace tidemill::trainer_server {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSamples = 400;
constexpr int64_t kRun = 7;
constexpr char kDataset[] =
    "path: /data\nformat: {type: csv, columns: [a, b, c]}\n"
    "label: {column: c, classes: [DOWN, UP]}\n";
constexpr char kGraph[] =
    "- parse_csv: {columns: [a, b]}\n- standardize: {columns: all}\n"
    "- stack: {columns: all, into: input}\n- label: {into: target}\n";
constexpr char kModel[] = "{type: mlp, hidden: [16], outputs: 2, dropout: 0.2}\n";
constexpr char kTraining[] =
    "device: cpu\nepochs: 3\nbatch_size: 32\noptimizer: {type: adam, lr: 0.01}\nseed: 42\n"
    "checkpoint_every: 200\nnum_threads: 1\n";

// Sample k is "x,y,label" with the label x > y; every 50th is broken, every 61st missing.
class MemoryStorage final : public storage::v1::StorageService::Service {
 public:
  grpc::Status ReadSamples(grpc::ServerContext*, const storage::v1::ReadSamplesRequest* request,
                           grpc::ServerWriter<storage::v1::ReadSamplesResponse>* writer) override {
    storage::v1::ReadSamplesResponse response;
    std::vector<int64_t> keys;
    std::vector<int64_t> labels;
    std::vector<std::string> texts;
    for (const int64_t key : request->sample_keys()) {
      if (key % 61 == 0) {
        response.add_missing()->set_sample_key(key);
        continue;
      }
      const int64_t x = key * 37 % 101;
      const int64_t y = key * 53 % 97;
      keys.push_back(key);
      labels.push_back(x > y ? 1 : 0);
      texts.push_back(key % 50 == 0 ? "?,?,?" : fmt::format("{},{},{}", x, y, x > y));
    }
    const std::vector<std::string_view> payloads(texts.begin(), texts.end());
    batch::Batch samples(static_cast<int64_t>(keys.size()));
    EXPECT_TRUE(samples.Set(batch::MakeColumn<int64_t>("key", keys)).ok());
    EXPECT_TRUE(samples.Set(batch::MakeColumn<int64_t>("class_label", labels)).ok());
    EXPECT_TRUE(samples.Set(batch::MakeBinaryColumn("payload", payloads)).ok());
    response.set_batch(batch::Encode(samples));
    writer->Write(response);
    return grpc::Status::OK;
  }
};

// Trigger t of the run has the keys t * 1000 + 1 ...; triggers from 100 on are not sealed.
class MemorySelector final : public selector::v1::SelectorService::Service {
 public:
  grpc::Status GetTrainingSet(grpc::ServerContext*,
                              const selector::v1::GetTrainingSetRequest* request,
                              selector::v1::GetTrainingSetResponse* response) override {
    if (request->trigger() >= 100) return {grpc::StatusCode::NOT_FOUND, "not sealed"};
    response->mutable_training_set()->set_num_samples(kSamples);
    response->mutable_training_set()->set_digest(fmt::format("set {}", request->trigger()));
    return grpc::Status::OK;
  }
  grpc::Status ReadTrainingSet(
      grpc::ServerContext*, const selector::v1::ReadTrainingSetRequest* request,
      grpc::ServerWriter<selector::v1::ReadTrainingSetResponse>* writer) override {
    std::vector<int64_t> keys;
    for (int64_t i = 1; i <= kSamples; ++i) keys.push_back(request->trigger() * 1000 + i);
    batch::Batch entries(kSamples);
    EXPECT_TRUE(entries.Set(batch::MakeColumn<int64_t>("key", keys)).ok());
    selector::v1::ReadTrainingSetResponse response;
    response.set_batch(batch::Encode(entries));
    writer->Write(response);
    return grpc::Status::OK;
  }
};

class MemoryModelStore final : public model_store::v1::ModelStoreService::Service {
 public:
  grpc::Status PutModel(grpc::ServerContext*,
                        grpc::ServerReader<model_store::v1::PutModelRequest>* reader,
                        model_store::v1::PutModelResponse* response) override {
    model_store::v1::PutModelRequest request;
    model_store::v1::Model model;
    std::string bytes;
    while (reader->Read(&request)) {
      if (request.has_header()) model = request.header().model();
      bytes += request.bytes();
    }
    model.set_model_id(1000 + model.trigger());
    size_t at = 0;
    for (auto& part : *model.mutable_parts()) {
      parts[model.model_id()][part.name()] = bytes.substr(at, part.size_bytes());
      at += part.size_bytes();
    }
    models[model.model_id()] = model;
    response->set_model_id(model.model_id());
    return grpc::Status::OK;
  }
  grpc::Status GetModel(grpc::ServerContext*, const model_store::v1::GetModelRequest* request,
                        model_store::v1::GetModelResponse* response) override {
    if (!models.contains(request->model_id())) return {grpc::StatusCode::NOT_FOUND, "unknown"};
    *response->mutable_model() = models[request->model_id()];
    return grpc::Status::OK;
  }
  grpc::Status ReadModel(grpc::ServerContext*, const model_store::v1::ReadModelRequest* request,
                         grpc::ServerWriter<model_store::v1::ReadModelResponse>* writer) override {
    model_store::v1::ReadModelResponse response;
    response.set_bytes(parts[request->model_id()][request->part()]);
    writer->Write(response);
    return grpc::Status::OK;
  }

  // Used by one call at a time.
  std::map<int64_t, model_store::v1::Model> models;
  std::map<int64_t, std::map<std::string, std::string>> parts;
};

std::string TrainProgram() {
  return fs::read_symlink("/proc/self/exe").parent_path() / "tidemill-train";
}

class TrainJob : public testing::Test {
 protected:
  TrainJob() {
    char pattern[] = "/tmp/train-XXXXXX";
    folder_ = mkdtemp(pattern);
    token_file_ = folder_ + "/tokens";
    EXPECT_TRUE(rpc::Tokens::Create(token_file_).ok());
    tokens_ = rpc::Tokens::Read(token_file_).value();
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

  // `failpoints` are armed in the jobs, each to fire in one process only.
  void StartServer(const std::string& failpoints) {
    const std::string once = folder_ + "/once";
    fs::remove_all(once);
    fs::create_directory(once);
    setenv("TIDEMILL_FAILPOINTS", failpoints.c_str(), 1);
    setenv("TIDEMILL_FAILPOINTS_ONCE", once.c_str(), 1);
    auto processes = JobProcesses::Start(TrainProgram());
    unsetenv("TIDEMILL_FAILPOINTS");
    ASSERT_TRUE(processes.ok()) << processes.status().ToString();
    processes_ = *std::move(processes);
    selector_ = std::make_unique<selector::SelectorClient>(PeerOf(stores_->endpoint()));
    model_store_ = std::make_unique<model_store::ModelStoreClient>(PeerOf(stores_->endpoint()));
    trainings_ = std::make_unique<Trainings>(
        TrainingsOptions{.folder = folder_ + "/state",
                         .endpoints = {.storage = stores_->endpoint(),
                                       .selector = stores_->endpoint(),
                                       .model_store = stores_->endpoint(),
                                       .token_file = token_file_},
                         .config = {}},
        *processes_, *selector_, *model_store_);
    service_ = std::make_unique<TrainerService>(*trainings_);
    server_ = Serve("trainer", {service_.get()});
    client_ = std::make_unique<TrainerClient>(PeerOf(server_->endpoint()));
  }
  void StopServer() {
    if (trainings_ != nullptr) trainings_->Shutdown();
    server_.reset();
    service_.reset();
    trainings_.reset();
    processes_.reset();
  }

  rpc::v1::Command CommandOf(int64_t epoch = 1) {
    rpc::v1::Command command;
    command.set_request_id(rpc::NewRequestId());
    command.set_run_id(kRun);
    command.set_run_epoch(epoch);
    return command;
  }
  absl::StatusOr<std::string> Fit(int64_t trigger) {
    v1::FitGraphRequest request;
    *request.mutable_command() = CommandOf();
    request.set_trigger(trigger);
    request.set_dataset_id(1);
    request.set_dataset_spec(kDataset);
    request.set_graph(kGraph);
    return client_->FitGraph(request);
  }
  v1::StartTrainingRequest Request(int64_t trigger, int64_t parent = 0) {
    v1::StartTrainingRequest request;
    *request.mutable_command() = CommandOf();
    request.set_trigger(trigger);
    request.set_dataset_id(1);
    request.set_dataset_spec(kDataset);
    request.set_graph(kGraph);
    request.set_fitted_trigger(1);
    request.set_model(kModel);
    request.set_training(kTraining);
    request.set_parent_model_id(parent);
    return request;
  }
  absl::StatusOr<v1::WatchTrainingResponse> Train(const v1::StartTrainingRequest& request) {
    return client_->Train(request,
                          [](const v1::WatchTrainingResponse&) { return absl::OkStatus(); });
  }
  // Fits, trains and stores trigger 1 of the run and forgets it; returns the weights' digest.
  std::string DigestOfTraining(const std::string& failpoints) {
    StopServer();
    StartServer(failpoints);
    EXPECT_TRUE(Fit(1).ok());
    const auto done = Train(Request(1));
    EXPECT_TRUE(done.ok()) << failpoints << ": " << done.status().ToString();
    const auto stored = client_->StoreModel(CommandOf(), 1);
    EXPECT_TRUE(stored.ok()) << stored.status().ToString();
    EXPECT_TRUE(client_->DeleteRun(CommandOf()).ok());
    return stored.ok() ? stored->weights_digest() : "";
  }

  std::string folder_;
  std::string token_file_;
  rpc::Tokens tokens_;
  MemoryStorage storage_;
  MemorySelector selector_service_;
  MemoryModelStore model_store_service_;
  std::unique_ptr<rpc::Server> stores_;
  std::unique_ptr<JobProcesses> processes_;
  std::unique_ptr<selector::SelectorClient> selector_;
  std::unique_ptr<model_store::ModelStoreClient> model_store_;
  std::unique_ptr<Trainings> trainings_;
  std::unique_ptr<TrainerService> service_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<TrainerClient> client_;
};

TEST_F(TrainJob, FitsTrainsAndStoresAModel) {
  const auto fitted = Fit(1);
  ASSERT_TRUE(fitted.ok()) << fitted.status().ToString();
  EXPECT_EQ(Fit(1).value(), *fitted);
  const auto done = Train(Request(1));
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->samples_done(), 3 * kSamples);
  int64_t unreadable = 0;
  for (int64_t key = 1001; key <= 1000 + kSamples; ++key) {
    if (key % 50 == 0 || key % 61 == 0) ++unreadable;
  }
  EXPECT_EQ(done->num_skipped(), 3 * unreadable);
  EXPECT_LT(done->loss(), 0.6);
  EXPECT_EQ(done->device(), "cpu");
  ASSERT_GT(done->loss_curve_size(), 1);
  EXPECT_EQ(done->loss_curve().rbegin()->num_samples(), 3 * kSamples);
  EXPECT_LT(done->loss_curve().rbegin()->loss(), done->loss_curve(0).loss());

  const auto stored = client_->StoreModel(CommandOf(), 1);
  ASSERT_TRUE(stored.ok()) << stored.status().ToString();
  EXPECT_EQ(client_->StoreModel(CommandOf(), 1)->model_id(), stored->model_id());
  const auto& model = model_store_service_.models[stored->model_id()];
  EXPECT_EQ(model.num_samples(), kSamples);
  EXPECT_EQ(model.training_set_digest(), "set 1");
  EXPECT_THAT(model.classes(), testing::ElementsAre("DOWN", "UP"));
  auto& parts = model_store_service_.parts[stored->model_id()];
  EXPECT_EQ(Sha256(parts["weights.safetensors"]), stored->weights_digest());
  EXPECT_EQ(Sha256(parts["fitted.batch"]), *fitted);
  EXPECT_THAT(parts["spec.yaml"], testing::HasSubstr("standardize"));
}

TEST_F(TrainJob, AWarmStartBeginsWithTheParentsWeights) {
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(Train(Request(1)).ok());
  const auto parent = client_->StoreModel(CommandOf(), 1);
  ASSERT_TRUE(parent.ok()) << parent.status().ToString();
  const auto child = Train(Request(2, parent->model_id()));
  ASSERT_TRUE(child.ok()) << child.status().ToString();
  const auto orphan = Train(Request(3));
  ASSERT_TRUE(orphan.ok()) << orphan.status().ToString();
  EXPECT_LT(child->loss(), orphan->loss());
}

TEST_F(TrainJob, KilledAtAnyPointItEndsWithTheSameWeights) {
  const std::string expected = DigestOfTraining("");
  for (const char* const failpoint :
       {"before_fit=kill", "after_fit=kill", "mid_training=kill:1", "mid_training=kill:23",
        "before_checkpoint_rename=kill:2", "after_checkpoint=kill:3", "before_artefact=kill",
        "after_artefact=kill"}) {
    EXPECT_EQ(DigestOfTraining(std::string("trainer_server.") + failpoint), expected) << failpoint;
  }
}

TEST_F(TrainJob, ARestartedServerGoesOnFromTheCheckpoint) {
  const std::string expected = DigestOfTraining("");
  StopServer();
  StartServer("trainer_server.after_checkpoint=delay:60s");
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(client_->StartTraining(Request(1)).ok());
  const std::string checkpoints = fmt::format("{}/state/runs/{}/1/checkpoints", folder_, kRun);
  while (!fs::exists(checkpoints) ||
         std::none_of(fs::directory_iterator(checkpoints), fs::directory_iterator(),
                      [](const auto& file) { return file.path().extension() == ".checkpoint"; })) {
    std::this_thread::yield();
  }
  StopServer();
  StartServer("");
  const auto done = Train(Request(1));
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(client_->StoreModel(CommandOf(), 1)->weights_digest(), expected);
  StopServer();
  StartServer("");
  EXPECT_EQ(Train(Request(1))->samples_done(), 3 * kSamples);  // Done stays done.
}

TEST_F(TrainJob, AStoppedTrainingIsResumedWhenStartedAgain) {
  StopServer();
  StartServer("trainer_server.mid_training=delay:1s");
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(client_->StartTraining(Request(1)).ok());
  ASSERT_TRUE(client_->StopTraining(CommandOf(), 1).ok());
  const auto last = client_->WatchTraining(
      RunId{kRun}, 1, [](const v1::WatchTrainingResponse&) { return absl::OkStatus(); });
  ASSERT_TRUE(last.ok()) << last.status().ToString();
  EXPECT_EQ(last->state(), v1::TRAINING_STATE_STOPPED);
  StopServer();
  StartServer("");
  EXPECT_TRUE(Train(Request(1)).ok());
}

TEST_F(TrainJob, WatchesThatStallHoldUpNeitherTheTrainingNorAnyOtherCall) {
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(client_->StartTraining(Request(1)).ok());
  constexpr int kNumStalled = 64;
  v1::WatchTrainingRequest request;
  request.set_run_id(kRun);
  request.set_trigger(1);
  const rpc::Peer peer = PeerOf(server_->endpoint());
  rpc::ByteCredits no_credits(0);
  std::vector<std::unique_ptr<rpc::FrameReader>> stalled;
  for (int i = 0; i < kNumStalled; ++i) {
    stalled.push_back(std::make_unique<rpc::FrameReader>(
        peer, rpc::Connect(peer), "/tidemill.trainer_server.v1.TrainerService/WatchTraining",
        rpc::ToBytes(request), no_credits));
    EXPECT_TRUE(stalled.back()->Next().ok());
  }
  const auto last = client_->WatchTraining(
      RunId{kRun}, 1, [](const v1::WatchTrainingResponse&) { return absl::OkStatus(); });
  ASSERT_TRUE(last.ok()) << last.status().ToString();
  EXPECT_EQ(last->state(), v1::TRAINING_STATE_DONE);
  EXPECT_TRUE(client_->StoreModel(CommandOf(), 1).ok());
}

TEST_F(TrainJob, ATrainingThatWaitsForASlotIsStoppedAtOnce) {
  StopServer();
  StartServer("trainer_server.mid_training=delay:60s");
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(client_->StartTraining(Request(1)).ok());
  ASSERT_TRUE(client_->StartTraining(Request(2)).ok());
  ASSERT_TRUE(client_->StopTraining(CommandOf(), 2).ok());
  const auto nothing = [](const v1::WatchTrainingResponse&) { return absl::OkStatus(); };
  EXPECT_EQ(client_->WatchTraining(RunId{kRun}, 2, nothing)->state(), v1::TRAINING_STATE_STOPPED);
  const auto first = client_->WatchTraining(RunId{kRun}, 1, [](const auto& message) {
    EXPECT_NE(message.state(), v1::TRAINING_STATE_STOPPED);
    return Cancelled("seen");
  });
  EXPECT_EQ(first.status().code(), absl::StatusCode::kCancelled);
}

TEST_F(TrainJob, WhatCannotBeTrainedIsRefusedWithTheRightCode) {
  EXPECT_EQ(client_->StartTraining(Request(1)).code(), absl::StatusCode::kNotFound);  // No fit.
  ASSERT_TRUE(Fit(1).ok());
  EXPECT_EQ(client_->StartTraining(Request(100)).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(client_->StartTraining(Request(1, 55)).code(), absl::StatusCode::kNotFound);
  v1::StartTrainingRequest broken = Request(1);
  broken.set_training("epochs: none");
  EXPECT_EQ(client_->StartTraining(broken).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client_->StoreModel(CommandOf(), 1).status().code(),
            absl::StatusCode::kFailedPrecondition);
  v1::StartTrainingRequest newer = Request(1);
  *newer.mutable_command() = CommandOf(5);
  EXPECT_TRUE(Train(newer).ok());
  EXPECT_EQ(client_->StartTraining(Request(2)).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(TrainJob, ATrainingThatCannotSucceedFailsWithItsReason) {
  ASSERT_TRUE(Fit(1).ok());
  v1::StartTrainingRequest request = Request(1);
  request.set_model("{type: mlp, hidden: [4], outputs: 1}");
  const auto failed = Train(request);
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(failed.status().message()), testing::HasSubstr("class 1"));
  EXPECT_TRUE(Train(Request(1)).ok());
}

}  // namespace
}  // namespace tidemill::trainer_server
