// What the tests of formats share: a folder of files, a spec, and the records found in a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "storage/formats/format.h"
#include "storage/testing/any_local_files.h"
#include "storage/testing/data_folder.h"
#include "xxhash.h"

namespace tidemill::storage::testing {

// A sample as a test expects it.
struct WantedSample {
  std::string bytes;
  std::optional<int64_t> class_label = std::nullopt;
  int64_t event_time = 0;

  friend bool operator==(const WantedSample&, const WantedSample&) = default;
  friend void PrintTo(const WantedSample& sample, std::ostream* out) {
    *out << ::testing::PrintToString(sample.bytes.substr(0, 200)) << " label "
         << sample.class_label.value_or(-1) << " at " << sample.event_time;
  }
};

class FormatTest : public ::testing::Test {
 protected:
  FormatTest() {
    auto cache = UnpackedCache::Create({.folder = state_.path() + "/unpacked"}, AnyLocalFiles());
    EXPECT_THAT(cache, tidemill::testing::IsOk());
    cache_ = *std::move(cache);
  }

  DatasetSpec Spec(const std::string& text) const {
    auto spec = config::Read<DatasetSpec>("path: " + data_.path() + "\n" + text, "spec");
    EXPECT_THAT(spec, tidemill::testing::IsOk());
    return *spec;
  }

  absl::StatusOr<IndexedFile> Index(DatasetSpec spec, const std::string& name,
                                    int64_t from_byte = 0, int64_t from_record = 0,
                                    bool columns_moved = false) const {
    const std::string path = files::Join(data_.path(), name);
    RETURN_IF_ERROR(CompleteSpec(path, *cache_, spec));
    ASSIGN_OR_RETURN(const auto format, MakeFormat(spec, *cache_));
    FileInput input{.root = data_.path(), .path = name};
    ASSIGN_OR_RETURN(input.identity, AnyLocalFiles().IdentityOf(path));
    input.from_byte = from_byte;
    input.from_record = from_record;
    input.columns_moved = columns_moved;
    return format->Index(input);
  }

  // Returns the records' bytes in the file.
  std::vector<std::string> Bytes(const std::string& name, const IndexedFile& found) const {
    const auto file = cache_->Open(files::Join(data_.path(), name));
    std::vector<std::string> records;
    for (size_t i = 0; i < found.positions.size(); ++i) {
      std::string bytes(static_cast<size_t>(found.rows.byte_to[i] - found.rows.byte_from[i]), 0);
      EXPECT_THAT(file->ReadAt(found.rows.byte_from[i], bytes.data(), bytes.size()),
                  tidemill::testing::IsOk());
      EXPECT_EQ(found.rows.hash[i], static_cast<int64_t>(XXH3_64bits(bytes.data(), bytes.size())));
      records.push_back(bytes);
    }
    return records;
  }

  // Does the same with labels and times.
  std::vector<WantedSample> Samples(const std::string& name, const IndexedFile& found) const {
    std::vector<WantedSample> samples;
    for (std::string& bytes : Bytes(name, found)) {
      const size_t row = samples.size();
      samples.push_back(
          {std::move(bytes), found.rows.class_label[row], found.rows.event_time[row]});
    }
    return samples;
  }

  DataFolder state_, data_;
  std::unique_ptr<UnpackedCache> cache_;
};

}  // namespace tidemill::storage::testing
