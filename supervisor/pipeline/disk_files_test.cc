#include "supervisor/pipeline/disk_files.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "models/torch/safetensors.h"
#include "storage/trials/dataset_trial.h"
#include "supervisor/checks/dataset_peek.h"

namespace tidemill::supervisor {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// The edges of what torch.jit.save() writes.
const std::string kNetwork =
    std::string("PK\x03\x04 net/data.pkl net/code/__torch__.py PK\x05\x06") + std::string(18, '\0');

class DiskFilesTest : public ::testing::Test {
 protected:
  DiskFilesTest() {
    fs::remove_all(root_);
    fs::create_directories(root_ / "own");
    fs::create_directories(root_ / "data");
  }
  ~DiskFilesTest() override { fs::remove_all(root_); }

  std::string Write(const std::string& name, const std::string& content) const {
    const fs::path path = root_ / name;
    std::ofstream(path) << content;
    return path.string();
  }
  std::optional<std::string> Read(const std::string& name, size_t most = 100) {
    return files_.Read(name, most, "at", problems_);
  }
  std::string LastProblem() { return problems_.empty() ? "" : problems_.items().back().message; }

  const fs::path root_ = fs::path(::testing::TempDir()) / "disk_files";
  DiskFiles files_{(root_ / "own").string(), (root_ / "data").string()};
  config::Problems problems_;
};

TEST_F(DiskFilesTest, FilesOfBothFoldersAreReadAndRemembered) {
  Write("own/a", "1");
  const std::string in_data = Write("data/b", "2");
  EXPECT_EQ(Read("a"), "1");
  EXPECT_EQ(Read(in_data), "2");
  EXPECT_TRUE(problems_.empty()) << problems_.ToString();
  EXPECT_EQ(files_.read(), (std::map<std::string, std::string>{{"a", "1"}, {in_data, "2"}}));
  EXPECT_FALSE(files_.network());
}

TEST_F(DiskFilesTest, AFileThatIsNotThereElsewhereOrTooLargeIsAProblem) {
  EXPECT_FALSE(Read("a"));
  EXPECT_THAT(LastProblem(), HasSubstr("there is no file"));
  EXPECT_FALSE(Read(Write("elsewhere", "1")));
  EXPECT_THAT(LastProblem(), HasSubstr("is outside the pipeline's folder"));
  fs::create_symlink(root_ / "elsewhere", root_ / "own" / "link");
  EXPECT_FALSE(Read("link"));
  EXPECT_THAT(LastProblem(), HasSubstr("is outside the pipeline's folder"));
  Write("own/large", std::string(101, 'x'));
  EXPECT_FALSE(Read("large"));
  EXPECT_THAT(LastProblem(), HasSubstr("has 101 bytes, but at most 100 are allowed"));
  EXPECT_TRUE(files_.read().empty());
}

TEST_F(DiskFilesTest, TheStateOfAStackIsNotTakenAlong) {
  fs::create_directory(root_ / "own" / "state");
  Write("own/state/identity", "0123456789abcdefghjkmnpqrs\n/var/lib/tidemill-postgres-x\n");
  Write("own/state/token", "hush");
  fs::create_symlink("state/token", root_ / "own" / "link");
  for (const char* const name : {"state/token", "link"}) {
    EXPECT_FALSE(Read(name));
    EXPECT_THAT(LastProblem(), HasSubstr("holds a stack's state"));
  }
  storage::DatasetSpec spec;
  spec.path = (root_ / "own").string();
  for (const char* const files : {"state/token", "link"}) {
    spec.files = files;
    const auto peek = storage::PeekAtDisk(spec);
    EXPECT_TRUE(!peek.ok() || peek->head.empty()) << peek->head;
  }
}

TEST_F(DiskFilesTest, ANetworkIsNamedByWhatItHolds) {
  const std::string path = Write("own/net.pt", kNetwork);
  EXPECT_EQ(files_.Keep("net.pt", "model.file", problems_), "sha256:" + Sha256(kNetwork));
  ASSERT_TRUE(files_.network()) << problems_.ToString();
  EXPECT_EQ(files_.network()->path, path);
  EXPECT_EQ(files_.network()->size_bytes, static_cast<int64_t>(kNetwork.size()));
  EXPECT_EQ(files_.network()->digest, Sha256(kNetwork));
}

TEST_F(DiskFilesTest, AFileThatIsNotANetworkIsAProblem) {
  Write("own/text.pt", "def forward(self, x): return x");
  EXPECT_FALSE(files_.Keep("text.pt", "model.file", problems_));
  EXPECT_THAT(LastProblem(), HasSubstr("text.pt is not a TorchScript file"));
  EXPECT_EQ(problems_.items().back().path, "model.file");
  EXPECT_FALSE(files_.network());
}

// A safetensors file with one array of two numbers.
std::string WeightsOf(const std::string& array) {
  const std::string numbers(8, '\1');
  return *models::WriteTensorFile(
      {.tensors = {{array, {.dtype = "F32", .shape = {2}, .bytes = numbers}}}, .metadata = {}});
}

TEST_F(DiskFilesTest, WeightsAreNamedByWhatTheyHold) {
  Write("own/w.safetensors", WeightsOf("layer.weight"));
  const auto weights = files_.KeepWeights({.file = "w.safetensors"}, "at", problems_);
  ASSERT_TRUE(weights) << problems_.ToString();
  EXPECT_EQ(weights->kept, std::vector<std::string>{"sha256:" + Sha256(WeightsOf("layer.weight"))});
  EXPECT_EQ(weights->arrays, std::vector<std::string>{"layer.weight"});
  ASSERT_EQ(files_.weights().size(), 1U);
  EXPECT_EQ(files_.weights()[0].digest, Sha256(WeightsOf("layer.weight")));
}

TEST_F(DiskFilesTest, WeightsOfAFolderMayBeInSeveralFiles) {
  fs::create_directory(root_ / "own" / "hub");
  EXPECT_FALSE(files_.KeepWeights({.folder = "hub"}, "at", problems_));
  EXPECT_THAT(LastProblem(), HasSubstr("neither model.safetensors nor model.safetensors.index"));
  Write("own/hub/model.safetensors.index.json",
        R"({"metadata": {}, "weight_map": {"a": "m-1.safetensors", "b": "m-2.safetensors"}})");
  Write("own/hub/m-1.safetensors", WeightsOf("a"));
  EXPECT_FALSE(files_.KeepWeights({.folder = "hub"}, "at", problems_));
  EXPECT_THAT(LastProblem(), HasSubstr("there is no file"));
  Write("own/hub/m-2.safetensors", WeightsOf("b"));
  auto weights = files_.KeepWeights({.folder = "hub"}, "at", problems_);
  ASSERT_TRUE(weights) << problems_.ToString();
  EXPECT_EQ(weights->arrays, (std::vector<std::string>{"a", "b"}));
  Write("own/hub/model.safetensors", WeightsOf("all"));
  weights = files_.KeepWeights({.folder = "hub"}, "at", problems_);
  EXPECT_EQ(weights->arrays, std::vector<std::string>{"all"}) << "one file is enough";
}

TEST_F(DiskFilesTest, AFileWithoutWeightsIsAProblem) {
  Write("own/w.bin", "PK weights of torch.save()");
  EXPECT_FALSE(files_.KeepWeights({.file = "w.bin"}, "training.start_from.file", problems_));
  EXPECT_THAT(LastProblem(), HasSubstr("w.bin is not a safetensors file"));
  Write("own/cut.safetensors", WeightsOf("a").substr(0, 60));
  EXPECT_FALSE(files_.KeepWeights({.file = "cut.safetensors"}, "at", problems_));
  Write("own/empty.safetensors", "");
  EXPECT_FALSE(files_.KeepWeights({.file = "empty.safetensors"}, "at", problems_));
  EXPECT_TRUE(files_.weights().empty());
}

}  // namespace
}  // namespace tidemill::supervisor
