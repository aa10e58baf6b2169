#include "storage/testing/uploaded_dataset.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace tidemill::storage::testing {

namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

StorageSettings SettingsFor(const S3Server& server, const std::string& bucket,
                            const std::string& secret, const std::string& section) {
  return {.section = "  object_store: {retry_for: 2s, scan_interval: 1h" + section + "}\n",
          .allowed_roots = {"s3://" + bucket + "/data"},
          .variables = {"AWS_ENDPOINT_URL=" + server.endpoint(), "AWS_REGION=us-east-1",
                        std::string("AWS_ACCESS_KEY_ID=") + S3Server::kAccessKey,
                        "AWS_SECRET_ACCESS_KEY=" + secret, "AWS_SESSION_TOKEN="}};
}

GeneratedDataset Upload(const S3Server& server, const std::string& bucket,
                        GeneratedDataset dataset) {
  const std::filesystem::path folder = dataset.folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().lexically_relative(folder).string();
    server.Put("data/" + dataset.name + "/" + name, ReadFile(entry.path()));
  }
  const std::string root = "s3://" + bucket + "/data/" + dataset.name;
  dataset.spec.replace(dataset.spec.find(dataset.folder), dataset.folder.size(), root);
  dataset.folder = root;
  return dataset;
}

}  // namespace tidemill::storage::testing
