// Stores in memory, for a trainer server under test.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fmt/format.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/mutex.h"
#include "batch/wire.h"
#include "tidemill/model_store/v1/model_store.grpc.pb.h"
#include "tidemill/selector/v1/selector.grpc.pb.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::trainer_server::testing {

inline constexpr int64_t kSamples = 400;

// Sample k is "x,y,label", with the label x > y. Every 50th is broken, every 61st is missing.
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

// Trigger t of the run has the keys t * 1000 + 1 ... Triggers from 100 on are not sealed.
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

  grpc::Status PutFile(grpc::ServerContext*,
                       grpc::ServerReader<model_store::v1::PutFileRequest>* reader,
                       model_store::v1::PutFileResponse*) override {
    ++num_begun_;
    model_store::v1::PutFileRequest request;
    std::string bytes, digest;
    while (reader->Read(&request)) {
      if (request.has_header()) digest = request.header().digest();
      bytes += request.bytes();
    }
    if (Sha256(bytes) != digest) return {grpc::StatusCode::DATA_LOSS, "other bytes"};
    ++num_put_;
    MutexLock lock(mutex_);
    files_[digest] = std::move(bytes);
    return grpc::Status::OK;
  }
  grpc::Status ReadFile(grpc::ServerContext*, const model_store::v1::ReadFileRequest* request,
                        grpc::ServerWriter<model_store::v1::ReadFileResponse>* writer) override {
    model_store::v1::ReadFileResponse response;
    {
      MutexLock lock(mutex_);
      const auto found = files_.find(request->digest());
      if (found == files_.end()) return {grpc::StatusCode::NOT_FOUND, "no such file"};
      response.set_bytes(found->second);
    }
    writer->Write(response);
    return grpc::Status::OK;
  }
  grpc::Status KeepJob(grpc::ServerContext*, const model_store::v1::KeepJobRequest* request,
                       model_store::v1::KeepJobResponse* response) override {
    MutexLock lock(mutex_);
    const auto place = [](const model_store::v1::KeepJobRequest& kept) {
      return std::tuple(kept.command().run_epoch(), kept.attempt());
    };
    model_store::v1::KeepJobRequest& kept = jobs_[{request->trigger(), request->kind()}];
    if (place(*request) < place(kept)) {
      ++num_refused_;
      return {grpc::StatusCode::FAILED_PRECONDITION, "another trainer server has it"};
    }
    response->set_is_latest(place(*request) > place(kept) ||
                            request->position() >= kept.position());
    if (response->is_latest()) kept = *request;
    return grpc::Status::OK;
  }
  grpc::Status GetKeptJob(grpc::ServerContext*, const model_store::v1::GetKeptJobRequest* request,
                          model_store::v1::GetKeptJobResponse* response) override {
    const model_store::v1::KeepJobRequest kept = Kept(request->trigger(), request->kind());
    response->set_position(kept.position());
    *response->mutable_files() = kept.files();
    return grpc::Status::OK;
  }

  // The files whose sending was begun, and those that came; and how many jobs were refused.
  int num_begun() const { return num_begun_; }
  int num_put() const { return num_put_; }
  int num_refused() const { return num_refused_; }
  // What is kept of a job of the run.
  model_store::v1::KeepJobRequest Kept(int64_t trigger, model_store::v1::JobKind kind) {
    MutexLock lock(mutex_);
    return jobs_[{trigger, kind}];
  }
  // Flips a bit of each file that is kept of jobs of a kind.
  void DamageFiles(model_store::v1::JobKind kind) {
    MutexLock lock(mutex_);
    for (const auto& [place, job] : jobs_) {
      if (place.second != kind) continue;
      for (const auto& file : job.files()) files_[file.digest()].back() ^= 1;
    }
  }
  // Forgets what is kept of all jobs.
  void ForgetJobs() {
    MutexLock lock(mutex_);
    jobs_.clear();
  }

  // Used by one call at a time.
  std::map<int64_t, model_store::v1::Model> models;
  std::map<int64_t, std::map<std::string, std::string>> parts;

 private:
  std::atomic<int> num_begun_ = 0;
  std::atomic<int> num_put_ = 0;
  std::atomic<int> num_refused_ = 0;
  Mutex mutex_;
  std::map<std::string, std::string> files_ ABSL_GUARDED_BY(mutex_);  // By digest.
  std::map<std::pair<int64_t, int>, model_store::v1::KeepJobRequest> jobs_
      ABSL_GUARDED_BY(mutex_);  // By trigger and kind.
};

}  // namespace tidemill::trainer_server::testing
