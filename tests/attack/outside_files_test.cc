// An operator names datasets where nothing may be read. Files there must not show in any answer,
// not even whether they exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "tests/attack/attacked_stack.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::tests {
namespace {

using ::testing::_;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using tidemill::testing::kInvalid;
using tidemill::testing::StatusIs;

namespace fs = std::filesystem;

class OutsideFiles : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { attacked_ = new AttackedStack(); }
  static void TearDownTestSuite() { delete attacked_; }

  // Each asks for the folder in another way, and would quote the file in another way.
  static std::vector<std::string> Pipelines(const std::string& folder, const std::string& file) {
    const auto csv = [&](const std::string& files, const std::string& format) {
      return PipelineOf({.dataset = fmt::format("path: \"{}\"\n    files: \"{}\"\n    format: {}",
                                                folder, files, format)});
    };
    return {csv(file, "{type: csv, delimiter: \" \", header: false, columns: [t, y]}"),
            csv(file, "{type: csv, delimiter: \" \"}"),
            csv(file, "{type: csv, delimiter: \" \", columns: [t, y]}"),
            csv("*", "{type: csv, header: false, columns: [t, y]}"),
            csv("**", "csv"),
            csv(file, "jsonl")};
  }

  static std::vector<std::string> Answers(const std::string& folder, const std::string& file) {
    std::vector<std::string> answers;
    for (const std::string& pipeline : Pipelines(folder, file)) {
      const absl::Status status = attacked_->Submit(SubmissionOf(pipeline));
      EXPECT_FALSE(status.ok()) << pipeline;
      answers.push_back(status.ToString());
    }
    return answers;
  }

  // What storage says to an operator who registers without a pipeline.
  static std::string Registered(const std::string& folder) {
    const rpc::Peer peer = attacked_->As(rpc::v1::ROLE_OPERATOR, "storage");
    const auto stub = storage::v1::StorageService::NewStub(rpc::Connect(peer));
    storage::v1::RegisterDatasetRequest request;
    request.mutable_command()->set_request_id(rpc::NewRequestId());
    request.set_name("bait");
    request.set_spec(fmt::format("path: \"{}\"\nformat: csv\n", folder));
    storage::v1::RegisterDatasetResponse response;
    const absl::Status status = rpc::Call(
        peer, *stub, &storage::v1::StorageService::Stub::RegisterDataset, request, &response);
    EXPECT_THAT(status, StatusIs(kInvalid, HasSubstr("none of the allowed data folders")));
    return status.ToString();
  }

  static AttackedStack* attacked_;
};

AttackedStack* OutsideFiles::attacked_ = nullptr;

TEST_F(OutsideFiles, AnOperatorCannotReadTheTokensOfServices) {
  const std::string tokens = *files::Read(attacked_->stack().state() + "/token");
  for (const std::string& answer : Answers(attacked_->stack().state(), "token")) {
    EXPECT_THAT(answer, HasSubstr("none of the allowed data folders"));
    for (size_t at = 0; at + 12 <= tokens.size(); ++at) {
      ASSERT_THAT(answer, Not(HasSubstr(tokens.substr(at, 12)))) << answer;
    }
  }
}

TEST_F(OutsideFiles, WhatIsThereAndWhatIsNotGetTheSameAnswer) {
  fs::create_symlink(attacked_->outside(), attacked_->data() + "/link");
  fs::create_symlink(attacked_->outside() + "/late", attacked_->data() + "/later");
  std::vector<std::string> folders;
  for (const char* const above : {"/outside", "/data/link", "/data/../outside"}) {
    folders.push_back(attacked_->stack().files() + above + "/late");
  }
  folders.push_back(attacked_->data() + "/later");
  std::map<std::string, std::vector<std::string>> before;
  for (const std::string& folder : folders) {
    before[folder] = Answers(folder, "secret.csv");
    EXPECT_THAT(before[folder], Each(HasSubstr("none of the allowed data folders")));
    before[folder].push_back(Registered(folder));
  }
  fs::create_directory(attacked_->outside() + "/late");
  std::ofstream(attacked_->outside() + "/late/secret.csv") << "t,y,z\n1,hot,42\n";
  for (const std::string& folder : folders) {
    std::vector<std::string> after = Answers(folder, "secret.csv");
    after.push_back(Registered(folder));
    EXPECT_EQ(after, before[folder]) << folder;
  }
}

// A file outside that a link among the data names is as if it were not there.
TEST_F(OutsideFiles, ALinkAmongTheDataShowsNothingOfItsTarget) {
  const std::string folder = attacked_->data() + "/links";
  fs::create_directory(folder);
  fs::create_symlink(attacked_->outside() + "/linked.csv", folder + "/a.csv");
  const std::vector<std::string> before = Answers(folder, "*.csv");
  EXPECT_THAT(before, Each(HasSubstr("no file below")));
  std::ofstream(attacked_->outside() + "/linked.csv") << "t,y,z\n1,hot,42\n";
  EXPECT_EQ(Answers(folder, "*.csv"), before);
}

TEST_F(OutsideFiles, AReaderCannotAskForAFileAtAll) {
  for (const auto role : {rpc::v1::ROLE_READER, rpc::v1::ROLE_OPERATOR}) {
    const rpc::Peer peer = attacked_->As(role, "storage");
    const auto stub = storage::v1::StorageService::NewStub(rpc::Connect(peer));
    storage::v1::ReadDatasetHeadRequest request;
    request.set_spec(fmt::format("path: \"{}\"\nformat: csv\n", attacked_->data()));
    storage::v1::ReadDatasetHeadResponse response;
    EXPECT_THAT(rpc::Call(peer, *stub, &storage::v1::StorageService::Stub::ReadDatasetHead, request,
                          &response),
                StatusIs(absl::StatusCode::kPermissionDenied, _));
  }
}

}  // namespace
}  // namespace tidemill::tests
