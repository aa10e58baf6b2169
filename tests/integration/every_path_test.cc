// Shuffled reads of every format, packed and not, by every way that a sample takes from its file to
// a training: over TCP, on storage's own host, out of an object store, and on through the loader.
// What each key must hold comes from the generator of the files.
//
// 20,000 reads a format and way, or $TIDEMILL_EVERY_PATH_READS, such as 1e6.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <random>

#include "fmt/format.h"

#include "base/testing/status_matchers.h"
#include "config/testing/not_tried.h"
#include "loader/training_set.h"
#include "storage/spec/dataset_spec.h"
#include "storage/testing/data_folder.h"
#include "storage/testing/direct_client.h"
#include "storage/testing/generated_dataset.h"
#include "storage/testing/generated_formats.h"
#include "storage/testing/packing.h"
#include "storage/testing/s3_server.h"
#include "storage/testing/served_dataset.h"
#include "storage/testing/uploaded_dataset.h"

namespace tidemill::tests {
namespace {

using storage::testing::DataFolder;
using storage::testing::DirectClient;
using storage::testing::ExpectedSample;
using storage::testing::GeneratedDataset;
using storage::testing::Packing;
using storage::testing::S3Server;
using storage::testing::Sample;
using storage::testing::Storage;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using tidemill::testing::IsOk;

constexpr char kBucket[] = "tidemill";

int64_t NumReads() {
  const char* const text = std::getenv("TIDEMILL_EVERY_PATH_READS");
  return text == nullptr ? 20'000 : static_cast<int64_t>(std::strtod(text, nullptr));
}

struct TestedFormat {
  const char* name;
  GeneratedDataset (*generate)(const std::string& root, int num_samples);
  // On storage's host a client reads it itself.
  bool is_direct = true;
  // How often each sample is read: fewer of them where a sample is a file, or much of one.
  int reads_a_sample = 1;
  std::optional<Packing> packing = std::nullopt;
};

std::vector<TestedFormat> EveryFormat() {
  using namespace storage::testing;  // NOLINT: the fixtures of this room.
  const std::vector<TestedFormat> plain = {
      {.name = "csv", .generate = MakeCsv},
      {.name = "series", .generate = MakeSeries},
      {.name = "binary", .generate = MakeRecords},
      {.name = "jsonl", .generate = MakePlainJsonl},
      {.name = "tar", .generate = MakeTar, .reads_a_sample = 10},
      {.name = "tfrecord", .generate = MakePlainTfRecords},
      {.name = "single_file",
       .generate = MakeSingleFiles,
       .is_direct = false,
       .reads_a_sample = 100},
  };
  std::vector<TestedFormat> formats = plain;
  for (const Packing packing : {Packing::kGzip, Packing::kXz, Packing::kZstd}) {
    for (TestedFormat format : plain) {
      format.is_direct = false;
      format.packing = packing;
      formats.push_back(format);
    }
  }
  // Packed as they are made: images and labels apart, several frames in a file.
  formats.push_back({.name = "idx_and_labels_gz", .generate = MakeGzippedIdx, .is_direct = false});
  formats.push_back({.name = "jsonl_zst_frames", .generate = MakeJsonl, .is_direct = false});
  return formats;
}

std::string NameOf(const ::testing::TestParamInfo<TestedFormat>& tested) {
  const TestedFormat& format = tested.param;
  if (!format.packing) return format.name;
  return format.name + ("_" + storage::testing::SuffixOf(*format.packing).substr(1));
}

// Asked of a storage that all formats share.
class EveryPath : public ::testing::TestWithParam<TestedFormat> {
 protected:
  // Makes the dataset below `root`.
  static GeneratedDataset Generate(const std::string& root, int64_t num_samples) {
    const TestedFormat& format = GetParam();
    GeneratedDataset dataset = format.generate(root, static_cast<int>(num_samples));
    return format.packing ? Packed(std::move(dataset), *format.packing) : dataset;
  }
  static int64_t NumSamples() {
    return std::max<int64_t>(NumReads() / GetParam().reads_a_sample, 100);
  }

  void Ingest(Storage& storage, const GeneratedDataset& dataset) {
    storage.Register(dataset);
    keys_ = storage.SortedKeys();
    ASSERT_THAT(keys_, SizeIs(dataset.samples.size()));
    asked_.clear();
    while (std::ssize(asked_) < NumReads()) {
      asked_.insert(asked_.end(), keys_.begin(), keys_.end());
    }
    asked_.resize(static_cast<size_t>(NumReads()));
    asked_ = storage::testing::Shuffled(std::move(asked_), 1);
  }

  void ExpectReadsRight(const Storage& storage, const GeneratedDataset& dataset) {
    SCOPED_TRACE("by the client");
    ExpectRight(dataset, keys_, asked_, storage.Read(asked_));
    num_reads_ += std::ssize(asked_);
  }

  void ExpectListRight(const Storage& storage, const GeneratedDataset& dataset) const {
    SCOPED_TRACE("as a list");
    storage::v1::ListSamplesRequest request = storage.ListRequest();
    request.set_with_labels(true);
    std::vector<Sample> listed = storage.List(request);
    ASSERT_THAT(listed, SizeIs(keys_.size()));
    EXPECT_TRUE(std::is_sorted(listed.begin(), listed.end(), [](const Sample& a, const Sample& b) {
      return std::pair(a.event_time, a.key) < std::pair(b.event_time, b.key);
    }));
    const auto expected = ByKey(dataset, keys_);
    int64_t num_wrong = 0;
    for (Sample& sample : listed) {
      const ExpectedSample& wanted = *expected.at(sample.key);
      sample.payload = wanted.payload;  // Which a list has not.
      num_wrong += IsAsExpected(sample, wanted) ? 0 : 1;
    }
    EXPECT_EQ(num_wrong, 0);
  }

  // As a training reads: by shuffled ordinals of a weighted set, a piece after the other.
  void ExpectLoadedRight(const Storage& storage, const GeneratedDataset& dataset) {
    SCOPED_TRACE("by the loader");
    constexpr size_t kOrdinalsAtOnce = 65'536;
    constexpr int64_t kMaxRows = 1000;
    loader::TrainingSet set{.keys = asked_};
    for (const int64_t key : asked_) set.weights.push_back(WeightOf(key));
    std::vector<int64_t> ordinals(asked_.size());
    std::iota(ordinals.begin(), ordinals.end(), 0);
    ordinals = storage::testing::Shuffled(std::move(ordinals), 2);
    const auto reader = loader::ReaderOf(storage.service, storage.id);
    const auto expected = ByKey(dataset, keys_);
    size_t next = 0, num_wrong = 0;
    const auto check = [&](batch::Batch& rows, loader::Rows&) {
      std::vector<Sample> samples;
      storage::testing::AppendTo(samples, rows);
      const auto given = rows.Find(batch::kOrdinalColumn)->Values<int64_t>();
      const auto weights = rows.Find(batch::kWeightColumn)->Values<float>();
      for (size_t row = 0; row < samples.size(); ++row, ++next) {
        const int64_t key = asked_[static_cast<size_t>(ordinals[next])];
        const bool is_right = given[row] == ordinals[next] && samples[row].key == key &&
                              weights[row] == WeightOf(key) &&
                              IsAsExpected(samples[row], *expected.at(key));
        num_wrong += is_right ? 0 : 1;
      }
      return absl::OkStatus();
    };
    for (size_t from = 0; from < ordinals.size(); from += kOrdinalsAtOnce) {
      const auto some = std::span(ordinals).subspan(from).first(
          std::min(kOrdinalsAtOnce, ordinals.size() - from));
      ASSERT_THAT(loader::ReadRows(set, some, reader, kMaxRows, check, {}), IsOk());
    }
    EXPECT_EQ(next, ordinals.size());
    EXPECT_EQ(num_wrong, 0U);
    num_reads_ += std::ssize(ordinals);
  }

  void Forget(const Storage& storage, const GeneratedDataset& dataset) const {
    if (!HasFailure()) {
      fmt::print("{} samples, {} reads, each right by content\n", keys_.size(), num_reads_);
    }
    EXPECT_THAT(storage.operate.DeleteDataset(dataset.name, storage::testing::NewCommand()),
                IsOk());
  }

  static float WeightOf(int64_t key) { return static_cast<float>(key % 1009) + 0.5F; }

  std::vector<int64_t> keys_;
  std::vector<int64_t> asked_;
  int64_t num_reads_ = 0;
};

class OverTcp : public EveryPath {
 protected:
  static void SetUpTestSuite() {
    storage_ = std::make_unique<Storage>(
        storage::testing::StorageSettings{.tcp = true, .block_bytes = "1MiB"});
  }
  static void TearDownTestSuite() { storage_ = nullptr; }

  static inline std::unique_ptr<Storage> storage_;
};

TEST_P(OverTcp, EachShuffledKeyComesWithItsBytesAndLabel) {
  const GeneratedDataset dataset = Generate(storage_->process.data_folder(), NumSamples());
  ASSERT_NO_FATAL_FAILURE(Ingest(*storage_, dataset));
  ExpectReadsRight(*storage_, dataset);
  ExpectListRight(*storage_, dataset);
  ExpectLoadedRight(*storage_, dataset);
  Forget(*storage_, dataset);
  std::filesystem::remove_all(dataset.folder);
}

class OnTheHost : public EveryPath {
 protected:
  static void SetUpTestSuite() {
    storage_ = std::make_unique<Storage>(storage::testing::StorageSettings{.block_bytes = "1MiB"});
  }
  static void TearDownTestSuite() { storage_ = nullptr; }

  static inline std::unique_ptr<Storage> storage_;
};

TEST_P(OnTheHost, EachShuffledKeyComesWithItsBytesAndLabel) {
  const GeneratedDataset dataset = Generate(storage_->process.data_folder(), NumSamples());
  ASSERT_NO_FATAL_FAILURE(Ingest(*storage_, dataset));
  DirectClient direct(*storage_);
  const storage::testing::ReadResult read = direct.Read(asked_);
  if (GetParam().is_direct) {
    ExpectRight(dataset, keys_, asked_, read);
    num_reads_ += std::ssize(asked_);
    EXPECT_THAT(direct.left_to_grpc(), IsEmpty());
  } else {
    EXPECT_EQ(direct.num_done(), 0U);
    ExpectReadsRight(*storage_, dataset);
  }
  ExpectLoadedRight(*storage_, dataset);
  Forget(*storage_, dataset);
  std::filesystem::remove_all(dataset.folder);
}

class FromAStore : public EveryPath {
 protected:
  static void SetUpTestSuite() {
    local_ = std::make_unique<DataFolder>();
    server_ = std::make_unique<S3Server>(kBucket);
    storage::testing::StorageSettings settings = storage::testing::SettingsFor(*server_, kBucket);
    settings.block_bytes = "1MiB";
    storage_ = std::make_unique<Storage>(std::move(settings));
  }
  static void TearDownTestSuite() {
    storage_ = nullptr;
    server_ = nullptr;
    local_ = nullptr;
  }

  static inline std::unique_ptr<DataFolder> local_;
  static inline std::unique_ptr<S3Server> server_;
  static inline std::unique_ptr<Storage> storage_;
};

TEST_P(FromAStore, EachShuffledKeyComesWithItsBytesAndLabel) {
  // An object takes the server longer than a file.
  const int64_t num_samples = GetParam().reads_a_sample == 100 ? NumSamples() / 10 : NumSamples();
  GeneratedDataset dataset = Generate(local_->path(), num_samples);
  // No two tests of a store share objects.
  const std::string folder = dataset.folder;
  dataset.name = NameOf({GetParam(), 0});
  dataset = Upload(*server_, kBucket, std::move(dataset));
  std::filesystem::remove_all(folder);
  ASSERT_NO_FATAL_FAILURE(Ingest(*storage_, dataset));
  ExpectReadsRight(*storage_, dataset);
  ExpectLoadedRight(*storage_, dataset);
  Forget(*storage_, dataset);
}

// Runs of plug-ins are tested in tests/plugin/.
TEST(Formats, AreAllRead) {
  const std::string folder = ::testing::TempDir() + "/all_formats";
  std::vector<storage::FormatSpec> formats;
  for (const TestedFormat& tested : EveryFormat()) {
    if (tested.packing) continue;
    const GeneratedDataset dataset = tested.generate(folder, 3);
    const auto spec = config::Read<storage::DatasetSpec>(dataset.spec, tested.name);
    ASSERT_THAT(spec, IsOk());
    formats.push_back(spec->format);
  }
  EXPECT_THAT(config::testing::NotTried(formats, {"plugin"}), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(EachFormat, OverTcp, ::testing::ValuesIn(EveryFormat()), NameOf);
INSTANTIATE_TEST_SUITE_P(EachFormat, OnTheHost, ::testing::ValuesIn(EveryFormat()), NameOf);
INSTANTIATE_TEST_SUITE_P(EachFormat, FromAStore, ::testing::ValuesIn(EveryFormat()), NameOf);

}  // namespace
}  // namespace tidemill::tests
