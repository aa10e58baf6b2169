// A model store on a database and in its own folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "base/digest.h"
#include "db/testing/postgres.h"
#include "model_store/kept_jobs.h"
#include "model_store/model_store.h"

namespace tidemill::model_store::testing {

using Parts = std::vector<std::pair<std::string, std::string>>;

inline const Parts kParts = {{"weights.safetensors", "some weights"},
                             {"fitted.batch", ""},
                             {"spec.yaml", "model: {type: mlp}\n"}};

inline rpc::v1::Command CommandOf(int64_t run, int64_t epoch = 1) {
  rpc::v1::Command command;
  command.set_request_id("a request");
  command.set_run_id(run);
  command.set_run_epoch(epoch);
  return command;
}

inline v1::Model ModelOf(int64_t run, int64_t trigger, const Parts& parts = kParts) {
  v1::Model model;
  model.set_run_id(run);
  model.set_trigger(trigger);
  model.set_training_set_digest("0123");
  model.set_num_samples(2000);
  model.set_model("type: mlp\n");
  model.add_classes("DOWN");
  model.add_classes("UP, \"and\" away");
  for (const auto& [name, bytes] : parts) {
    v1::ModelPart& part = *model.add_parts();
    part.set_name(name);
    part.set_size_bytes(static_cast<int64_t>(bytes.size()));
    part.set_digest(Sha256(bytes));
  }
  return model;
}

// One life of the store; the next one finds what it left.
struct Life {
  explicit Life(const std::string& connection_string, const std::string& folder) {
    database = *db::Database::Connect(connection_string);
    store = *ModelStore::Open(*database, folder);
    jobs = std::make_unique<KeptJobs>(*database, folder + "/models");
    EXPECT_TRUE(jobs->RemoveLeftovers().ok());
  }

  absl::StatusOr<ModelId> Put(const v1::Model& model, const Parts& parts = kParts,
                              int64_t epoch = 1) {
    ASSIGN_OR_RETURN(const auto upload, store->Begin(CommandOf(model.run_id(), epoch), model));
    std::string all;
    for (const auto& [name, bytes] : parts) all += bytes;
    // In pieces that do not end where parts do.
    for (size_t at = 0; at < all.size() && !upload->is_whole(); at += 5) {
      RETURN_IF_ERROR(upload->Append(std::string_view(all).substr(at, 5)));
    }
    return upload->Finish();
  }

  // The models of a run; of all runs for 0.
  absl::StatusOr<std::vector<v1::Model>> List(int64_t run) {
    v1::ListModelsRequest request;
    request.set_run_id(run);
    ASSIGN_OR_RETURN(const v1::ListModelsResponse listed, store->List(request));
    return std::vector<v1::Model>(listed.models().begin(), listed.models().end());
  }

  absl::StatusOr<std::string> Read(ModelId model, const std::string& part) {
    std::string bytes;
    RETURN_IF_ERROR(store->Read(model, part, [&](std::string_view piece) {
      bytes += piece;
      return absl::OkStatus();
    }));
    return bytes;
  }

  std::unique_ptr<db::Database> database;
  std::unique_ptr<ModelStore> store;
  std::unique_ptr<KeptJobs> jobs;
};

class ModelStoreTest : public ::testing::Test {
 protected:
  ModelStoreTest() {
    std::string pattern = ::testing::TempDir() + "model_store_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~ModelStoreTest() override { std::filesystem::remove_all(folder_); }

  Life NewLife() const { return Life(database_.connection_string(), folder_); }

  // The files that are there, by name, of all runs.
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
    }
    return names;
  }

  db::testing::TestDatabase database_;
  std::string folder_;
};

}  // namespace tidemill::model_store::testing
