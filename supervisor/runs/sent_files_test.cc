#include "supervisor/runs/sent_files.h"

#include <fstream>
#include <functional>

#include "absl/strings/escaping.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/tree.h"
#include "supervisor/testing/supervisor_fixture.h"
#include "supervisor/testing/testdata.h"
#include "transform/ops/tables/lookup_table.h"

namespace tidemill::supervisor {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::Not;
using ::tidemill::testing::IsOk;
using tidemill::testing::kInvalid;
using ::tidemill::testing::StatusIs;

class SentFilesTest : public testing::SupervisorFixture {
 protected:
  // The sound pipeline with another text in the place of a part of it.
  static v1::SubmitPipelineRequest Request(const std::string& part, const std::string& instead) {
    std::string pipeline = *files::Read(testing::kTestdata.string() + "/sound.yaml");
    const size_t at = pipeline.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    pipeline.replace(at, part.size(), instead);
    v1::SubmitPipelineRequest request;
    request.mutable_command()->set_request_id("r" + std::to_string(++num_requests_));
    request.set_pipeline(pipeline);
    request.set_file_name("pipeline.yaml");
    request.set_base_folder(testing::kTestdata.string());
    return request;
  }
  static v1::SubmitPipelineRequest WithCategories(const std::string& file) {
    return Request("    - stack",
                   "    - parse_csv: {columns: [date], dtype: string}\n"
                   "    - one_hot: {column: date, categories_file: " +
                       file + "}\n    - stack");
  }

  absl::Status Send(const std::string& bytes, size_t piece) {
    v1::SendNetworkRequest::Header header;
    header.set_size_bytes(static_cast<int64_t>(bytes.size()));
    header.set_digest(Sha256(bytes));
    header.set_file_name("net.pt");
    size_t at = 0;
    return supervisor_->named_files().TakeNetwork(
        header, [&]() -> absl::StatusOr<std::optional<std::string>> {
          if (at >= bytes.size()) return std::optional<std::string>();
          const std::string next = bytes.substr(at, piece);
          at += piece;
          return std::optional<std::string>(next);
        });
  }

  static inline int num_requests_ = 0;
};

TEST_F(SentFilesTest, AFileIsWhatCameUnderItsNameAndNotWhatIsOnDisk) {
  v1::SubmitPipelineRequest request = WithCategories("days.txt");
  (*request.mutable_files())["days.txt"] = "2012-01-01\n2012-01-02\n";
  const RunId run = Submit(request);
  EXPECT_THAT(Get(run).pipeline_resolved(), HasSubstr("2012-01-02"));
}

TEST_F(SentFilesTest, ATableIsTakenPackedOrUnpacked) {
  const std::string text = "date,load\n2012-01-01,1\n2012-01-02,2\n";
  const auto packed = transform::PackTable(text);
  ASSERT_THAT(packed, IsOk());
  const std::pair<std::string, std::string> ways[] = {{"days.csv [date; load; ; ,]", *packed},
                                                      {"days.csv", text}};
  for (const auto& [name, bytes] : ways) {
    v1::SubmitPipelineRequest request = Request(
        "    - stack",
        "    - parse_csv: {columns: [date], dtype: string}\n"
        "    - lookup: {table: days.csv, on: date, columns: {load: l}, default: {load: 0}}\n"
        "    - cast: {columns: [l], dtype: float32}\n"
        "    - hash_buckets: {column: date, buckets: 2}\n    - stack");
    (*request.mutable_files())[name] = bytes;
    const RunId run = Submit(request);
    EXPECT_THAT(Get(run).pipeline_resolved(), HasSubstr(absl::Base64Escape(*packed))) << name;
    ASSERT_THAT(supervisor_->run_control().Stop(run), IsOk());
    ASSERT_THAT(testing::DeletePipeline(*supervisor_), IsOk());
  }
}

TEST_F(SentFilesTest, APackedTableThatIsDamagedIsRefused) {
  v1::SubmitPipelineRequest request =
      Request("    - stack",
              "    - parse_csv: {columns: [date], dtype: string}\n"
              "    - lookup: {table: days.csv, on: date, columns: [load]}\n    - stack");
  (*request.mutable_files())["days.csv [date; load; ; ,]"] = "(\xb5/\xfd damaged";
  EXPECT_THAT(supervisor_->submissions().Submit(request).status(),
              StatusIs(kInvalid, HasSubstr("days.csv ")));
}

TEST_F(SentFilesTest, AFileOnTheServersDiskIsNotRead) {
  const std::string secret = ::testing::TempDir() + "/secret.txt";
  std::ofstream(secret) << "hush\n";
  for (const std::string& name : {secret, std::string("secret.txt")}) {
    v1::SubmitPipelineRequest request = WithCategories(name);
    request.set_base_folder(::testing::TempDir());
    const absl::Status refused = supervisor_->submissions().Submit(request).status();
    EXPECT_THAT(refused, StatusIs(kInvalid, HasSubstr("did not come with the pipeline")));
    EXPECT_THAT(refused.ToString(), Not(HasSubstr("hush")));
  }
}

TEST_F(SentFilesTest, ANetworkIsNamedByWhatWasSentUntilNobodyNeedsIt) {
  const std::string network = *files::Read(tidemill::testing::InTree("tests/testdata/rows.pt"));
  v1::SubmitPipelineRequest request =
      Request("model: {type: mlp, hidden: [8], outputs: 2}",
              "model: {type: torchscript, file: net.pt, outputs: 2}");
  request.set_network_digest(Sha256(network));
  EXPECT_THAT(supervisor_->submissions().Submit(request),
              StatusIs(kInvalid, HasSubstr("did not come")));
  ASSERT_THAT(Send(network, 100), IsOk());
  const RunId run = Submit(request);
  EXPECT_THAT(Get(run).pipeline_resolved(), HasSubstr("file: \"sha256:" + Sha256(network)));
  ASSERT_THAT(supervisor_->run_control().Stop(run), IsOk());
  EXPECT_EQ(services_.files().size(), 1U);
  ASSERT_THAT(testing::DeletePipeline(*supervisor_), IsOk());
  EXPECT_TRUE(services_.files().empty());
}

TEST_F(SentFilesTest, OfNetworksWithoutAPipelineNoMoreWaitsThanTheBudget) {
  constexpr int64_t kLargest = int64_t{1} << 30;
  int num_begun = 0;
  // Each upload begins while those before it are on their way.
  const std::function<absl::Status()> send = [&] {
    v1::SendNetworkRequest::Header header;
    header.set_size_bytes(kLargest);
    header.set_digest(Sha256(std::to_string(++num_begun)));
    return supervisor_->named_files().TakeNetwork(
        header, [&]() -> absl::StatusOr<std::optional<std::string>> { return send(); });
  };
  EXPECT_THAT(send(), StatusIs(absl::StatusCode::kResourceExhausted,
                               HasSubstr("networks without a pipeline would have 5368709120")));
  EXPECT_EQ(num_begun, NamedFiles::kMaxUnnamedBytes / kLargest + 1);
  // What did not come takes no room.
  EXPECT_THAT(Send(*files::Read(tidemill::testing::InTree("tests/testdata/rows.pt")), 100), IsOk());
}

TEST_F(SentFilesTest, WeightsAreKept) {
  const std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  std::string weights(8, '\0');
  weights[0] = static_cast<char>(header.size());
  weights += header + std::string(4, '\0');
  for (const size_t piece : {size_t{3}, size_t{1000}}) EXPECT_THAT(Send(weights, piece), IsOk());
  EXPECT_EQ(services_.files().size(), 1U);
  EXPECT_THAT(Send(weights.substr(0, header.size()), 1000), StatusIs(kInvalid, _));
}

TEST_F(SentFilesTest, AFileThatIsNotANetworkIsNotKept) {
  EXPECT_THAT(Send("def forward(self, x): return x", 4),
              StatusIs(kInvalid, HasSubstr("net.pt is not a TorchScript file")));
  const std::string network = *files::Read(tidemill::testing::InTree("tests/testdata/rows.pt"));
  EXPECT_THAT(Send(network.substr(0, network.size() / 2), 1000), StatusIs(kInvalid, _));
  EXPECT_TRUE(services_.files().empty());
}

}  // namespace
}  // namespace tidemill::supervisor
