// Datasets in an object store, as other services meet them: a storage process behind its client,
// and a store that checks signatures.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/testing/data_folder.h"
#include "storage/testing/generated_dataset.h"
#include "storage/testing/generated_formats.h"
#include "storage/testing/s3_server.h"
#include "storage/testing/served_dataset.h"

namespace tidemill::storage {
namespace {

using testing::DataFolder;
using testing::ExpectRight;
using testing::ExpectServesEverySample;
using testing::GeneratedDataset;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NewCommand;
using testing::ReadResult;
using testing::S3Server;
using testing::Shuffled;
using ::testing::SizeIs;
using testing::Storage;
using testing::StorageSettings;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr int kNumKeys = 20'000;
constexpr char kBucket[] = "tidemill";

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// How a storage process reaches the store.
StorageSettings SettingsOf(const S3Server& server, const std::string& secret = S3Server::kSecret,
                           const std::string& section = "") {
  return {.section = "  object_store: {retry_for: 2s, scan_interval: 1h" + section + "}\n",
          .allowed_roots = {std::string("s3://") + kBucket + "/data"},
          .variables = {"AWS_ENDPOINT_URL=" + server.endpoint(), "AWS_REGION=us-east-1",
                        std::string("AWS_ACCESS_KEY_ID=") + S3Server::kAccessKey,
                        "AWS_SECRET_ACCESS_KEY=" + secret, "AWS_SESSION_TOKEN="}};
}

class StorageS3 : public ::testing::Test {
 protected:
  // Puts the files of a generated dataset into the store, below data/<name>.
  GeneratedDataset Upload(GeneratedDataset dataset) {
    const std::filesystem::path folder = dataset.folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string name = entry.path().lexically_relative(folder).string();
      server_.Put("data/" + dataset.name + "/" + name, ReadFile(entry.path()));
    }
    const std::string root = std::string("s3://") + kBucket + "/data/" + dataset.name;
    dataset.spec.replace(dataset.spec.find(dataset.folder), dataset.folder.size(), root);
    dataset.folder = root;
    return dataset;
  }

  DataFolder local_;
  S3Server server_{kBucket};
};

TEST_F(StorageS3, ServesCsvByContent) {
  Storage storage(SettingsOf(server_));
  ExpectServesEverySample(Upload(testing::MakeCsv(local_.path(), kNumKeys)), storage);
}

}  // namespace
}  // namespace tidemill::storage
