// An operator has the server take files from its own disk for a pipeline's. Nothing but what came
// with the submission is taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fmt/format.h"

#include "base/digest.h"
#include "base/testing/status_matchers.h"
#include "rpc/grpc_status.h"
#include "tests/attack/attacked_stack.h"

namespace tidemill::tests {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::Not;
using tidemill::testing::IsOk;
using tidemill::testing::kInvalid;
using tidemill::testing::StatusIs;

class ServerFiles : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { attacked_ = new AttackedStack(); }
  static void TearDownTestSuite() { delete attacked_; }

  // A pipeline over data that storage may read, with this in the place of its first op and model.
  static Bait BaitOf(const std::string& op, const std::string& model) {
    std::ofstream(attacked_->data() + "/a.csv") << "t,a,y\n2020-01-01,1,cold\n2020-01-02,2,hot\n";
    Bait bait{.dataset = fmt::format("path: \"{}\"\n    files: a.csv\n    format: csv",
                                     attacked_->data())};
    if (!op.empty()) bait.graph_head = op;
    if (!model.empty()) bait.model = model;
    return bait;
  }

  // The ways in which a pipeline names a file.
  static std::vector<Bait> BaitsFor(const std::string& file) {
    return {BaitOf(fmt::format("one_hot: {{column: a, categories_file: \"{}\"}}", file), ""),
            BaitOf(fmt::format("torchscript: {{file: \"{}\", columns: [a], dtype: float32, "
                               "shape: [2], into: made}}",
                               file),
                   ""),
            BaitOf("", fmt::format("{{type: torchscript, file: \"{}\", outputs: 2}}", file))};
  }

  static std::vector<std::string> Answers(const std::string& file) {
    std::vector<std::string> answers;
    for (const Bait& bait : BaitsFor(file)) {
      supervisor::v1::SubmitPipelineRequest request = SubmissionOf(PipelineOf(bait));
      request.set_base_folder(attacked_->outside());
      (*request.mutable_variables())["TIDEMILL_DATA"] = attacked_->outside();
      const absl::Status status = attacked_->Submit(request);
      EXPECT_THAT(status, StatusIs(kInvalid, HasSubstr("did not come with the pipeline")));
      answers.push_back(status.ToString());
    }
    return answers;
  }

  // What the supervisor says to a network that is sent in pieces of 1 MiB.
  static absl::Status Send(const std::string& bytes, const std::string& announced) {
    constexpr size_t kPieceBytes = size_t{1} << 20;
    const rpc::Peer peer = attacked_->As(rpc::v1::ROLE_OPERATOR, "supervisor");
    const auto stub = supervisor::v1::SupervisorService::NewStub(rpc::Connect(peer));
    grpc::ClientContext context;
    rpc::Prepare(peer, std::chrono::seconds{60}, context);
    supervisor::v1::SendNetworkResponse response;
    const auto writer = stub->SendNetwork(&context, &response);
    supervisor::v1::SendNetworkRequest message;
    message.mutable_header()->mutable_command()->set_request_id(rpc::NewRequestId());
    message.mutable_header()->set_size_bytes(static_cast<int64_t>(announced.size()));
    message.mutable_header()->set_digest(Sha256(announced));
    message.mutable_header()->set_file_name("net.pt");
    writer->Write(message);
    for (size_t at = 0; at < bytes.size(); at += kPieceBytes) {
      message.set_bytes(bytes.substr(at, kPieceBytes));
      if (!writer->Write(message)) break;
    }
    writer->WritesDone();
    return FromGrpc(writer->Finish());
  }

  // A file with the edges of a network, and an empty table of contents at its end.
  static std::string NetworkOf(size_t size) {
    std::string file = "PK\x03\x04" + std::string(size, 'x') + "/code/";
    const auto table = static_cast<uint32_t>(file.size());
    file += "PK\x05\x06" + std::string(18, '\0');
    std::memcpy(file.data() + table + 16, &table, sizeof(table));
    return file;
  }

  static int64_t NumKept() {
    const std::string folder = attacked_->stack().state() + "/model_store/files";
    return std::distance(std::filesystem::directory_iterator(folder),
                         std::filesystem::directory_iterator());
  }

  static AttackedStack* attacked_;
};

AttackedStack* ServerFiles::attacked_ = nullptr;

TEST_F(ServerFiles, AreNotReadWhateverTheFolderOfThePipelineIsSaidToBe) {
  const std::string path = attacked_->outside() + "/rows.zip";
  const std::vector<std::string> by_name = Answers("rows.zip");
  const std::vector<std::string> by_path = Answers(path);
  std::ofstream(path) << "PK\x03\x04 hush\n";
  EXPECT_EQ(Answers("rows.zip"), by_name);
  EXPECT_EQ(Answers(path), by_path);
  for (const std::string& answer : by_path) EXPECT_THAT(answer, Not(HasSubstr("hush")));
}

TEST_F(ServerFiles, AreNotReadAmongTheDataEither) {
  const std::string path = attacked_->data() + "/names.txt";
  std::ofstream(path) << "hush\n";
  for (const std::string& answer : Answers(path)) EXPECT_THAT(answer, Not(HasSubstr("hush")));
}

TEST_F(ServerFiles, ADigestNamesNothingThatWasNotSent) {
  const std::string digest = Sha256("nobody sent this");
  const Bait bait =
      BaitOf("", fmt::format("{{type: torchscript, file: \"sha256:{}\", outputs: 2}}", digest));
  EXPECT_THAT(attacked_->Submit(SubmissionOf(PipelineOf(bait))),
              StatusIs(kInvalid, HasSubstr("did not come with the pipeline")));
  for (const char* const path : {"sha256:../../token", "sha256:", "sha256:/etc/passwd"}) {
    const Bait escape =
        BaitOf("", fmt::format("{{type: torchscript, file: \"{}\", outputs: 2}}", path));
    EXPECT_THAT(attacked_->Submit(SubmissionOf(PipelineOf(escape))), StatusIs(kInvalid, _)) << path;
  }
}

TEST_F(ServerFiles, OnlyANetworkIsKeptForAPipeline) {
  const std::string text(100, 'x');
  EXPECT_THAT(Send(text, text), StatusIs(kInvalid, HasSubstr("net.pt is not a TorchScript file")));
  // What had come of it goes once the model store has noticed.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (NumKept() > 0 && std::chrono::steady_clock::now() < end) sched_yield();
  EXPECT_EQ(NumKept(), 0);
}

TEST_F(ServerFiles, ANetworkIsKeptOnlyIfItIsWhatWasAnnounced) {
  const std::string network = NetworkOf(100);
  EXPECT_THAT(Send(network, NetworkOf(101)), StatusIs(absl::StatusCode::kDataLoss, _));
  EXPECT_THAT(Send(network, NetworkOf(99)), StatusIs(absl::StatusCode::kDataLoss, _));
  EXPECT_EQ(NumKept(), 0);
}

TEST_F(ServerFiles, ANetworkLargerThanAMessageIsTaken) {
  const std::string network = NetworkOf(size_t{40} << 20);
  EXPECT_THAT(Send(network, network), IsOk());
  EXPECT_THAT(Send(network, network), IsOk());
  EXPECT_EQ(NumKept(), 1);
}

}  // namespace
}  // namespace tidemill::tests
