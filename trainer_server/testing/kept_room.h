// A folder of a trigger and a model store in memory, for tests of what is kept of the one in the
// other.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "gtest/gtest.h"

#include "base/files.h"
#include "model_store/client/model_store_client.h"
#include "rpc/access/tokens.h"
#include "rpc/server.h"
#include "trainer_server/checkpoints.h"
#include "trainer_server/folders/job_folder.h"
#include "trainer_server/kept_folders.h"
#include "trainer_server/testing/memory_stores.h"

namespace tidemill::trainer_server::testing {

class KeptRoom : public ::testing::Test {
 protected:
  KeptRoom() {
    char pattern[] = "/tmp/kept-XXXXXX";
    root_ = mkdtemp(pattern);
    folder_ = files::Join(root_, "runs/7/1");
    std::filesystem::create_directories(folder_);
    EXPECT_TRUE(rpc::Tokens::Create(root_ + "/tokens").ok());
    const rpc::Tokens tokens = *rpc::Tokens::Read(root_ + "/tokens");
    server_ = *rpc::Server::Start({.listen = "unix:" + root_ + "/store"}, tokens, {&store_});
    client_ = std::make_unique<model_store::ModelStoreClient>(rpc::Peer{
        .endpoint = server_->endpoint(), .token = *tokens.TokenOf(rpc::v1::ROLE_SERVICE)});
    kept_ = std::make_unique<KeptFolders>(*client_);
    v1::TrainingJob job;
    job.mutable_request()->set_trigger(1);
    EXPECT_TRUE(WriteMessage(folder_, kJobFile, job).ok());
  }
  ~KeptRoom() override { std::filesystem::remove_all(root_); }

  static Claim ClaimOf(int64_t attempt) {
    Claim claim{.trigger = 1, .attempt = attempt};
    claim.command.set_run_id(7);
    claim.command.set_run_epoch(1);
    return claim;
  }

  void WriteCheckpoint(int64_t batches, const std::string& payload) const {
    EXPECT_TRUE(
        Checkpoints(files::Join(folder_, kCheckpointFolder)).Write({batches, payload}).ok());
  }
  void WriteFile(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path(files::Join(folder_, name));
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << bytes;
  }

  // The position of the training that is kept; -1 without one.
  int64_t KeptPosition() {
    const auto kept = store_.Kept(1, model_store::v1::JOB_KIND_TRAINING);
    return kept.files_size() == 0 ? -1 : kept.position();
  }

  std::string root_;
  std::string folder_;
  MemoryModelStore store_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<model_store::ModelStoreClient> client_;
  std::unique_ptr<KeptFolders> kept_;
};

}  // namespace tidemill::trainer_server::testing
