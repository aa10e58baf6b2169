#include "tests/fuzz/indexing.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "storage/formats/format.h"
#include "storage/testing/any_local_files.h"
#include "tests/fuzz/fuzz_target.h"
#include "xxhash.h"

namespace tidemill::fuzz {

namespace {

using storage::DatasetSpec;
using storage::IndexedFile;

// A folder in memory with the input as its only file.
class Workplace {
 public:
  Workplace() {
    std::string name = "/dev/shm/tidemill_fuzz_XXXXXX";
    Promise(mkdtemp(name.data()) != nullptr, "there is a folder to work in");
    folder_ = name;
    auto cache = storage::UnpackedCache::Create(
        {.folder = folder_ + "/unpacked", .max_bytes = 1 << 24, .max_unpacked_bytes = 1 << 22},
        storage::testing::AnyLocalFiles());
    Promise(cache.ok(), "there is a cache");
    cache_ = *std::move(cache);
  }
  ~Workplace() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }

  void Write(std::string_view bytes) const {
    const std::string path = folder_ + "/input";
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    Promise(write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "the input is written");
    close(file);
  }

  const std::string& folder() const { return folder_; }
  storage::UnpackedCache& cache() const { return *cache_; }

 private:
  std::string folder_;
  std::unique_ptr<storage::UnpackedCache> cache_;
};

std::vector<std::string> RecordsOf(const storage::OpenFile& file, const IndexedFile& found) {
  std::vector<std::string> records;
  int64_t before = -1;
  for (size_t row = 0; row < found.positions.size(); ++row) {
    const int64_t from = found.rows.byte_from[row], to = found.rows.byte_to[row];
    Promise(from >= 0 && from <= to, "a record is a range");
    Promise(found.positions[row] > before, "records are in order");
    before = found.positions[row];
    std::string bytes(static_cast<size_t>(to - from), '\0');
    const auto got = file.ReadAt(from, bytes.data(), bytes.size());
    Promise(got.ok() && *got == bytes.size(), "a record is within the file");
    Promise(found.rows.hash[row] == static_cast<int64_t>(XXH3_64bits(bytes.data(), bytes.size())),
            "the hash is that of the bytes");
    records.push_back(std::move(bytes));
  }
  return records;
}

// The records of the file after those found before; nothing where it is refused as a whole.
std::optional<IndexedFile> Index(const Workplace& place, const storage::Format& format,
                                 const IndexedFile& before = {}) {
  storage::FileInput input{.root = place.folder(), .path = "input"};
  const auto identity = storage::testing::AnyLocalFiles().IdentityOf(place.folder() + "/input");
  Promise(identity.ok(), "the input is there");
  input.identity = *identity;
  input.from_byte = before.bytes_done;
  input.from_record = before.records_done;
  input.columns_moved = before.columns_moved;
  absl::StatusOr<IndexedFile> found = format.Index(input);
  if (!found.ok()) {
    Promise(absl::IsInvalidArgument(found.status()) || absl::IsDataLoss(found.status()) ||
                absl::IsResourceExhausted(found.status()) || absl::IsNotFound(found.status()),
            "a refusal says that the file is at fault");
    return std::nullopt;
  }
  return *std::move(found);
}

void CheckTwoSteps(const Workplace& place, const storage::Format& format, std::string_view input,
                   const std::vector<std::string>& whole) {
  place.Write(input.substr(0, input.size() / 2));
  const auto first = Index(place, format);
  if (!first) return;
  const auto opened = place.cache().Open(place.folder() + "/input");
  if (!opened.ok()) return;
  std::vector<std::string> records = RecordsOf(*opened, *first);
  place.Write(input);
  const auto second = Index(place, format, *first);
  if (!second) return;
  const auto grown = place.cache().Open(place.folder() + "/input");
  Promise(grown.ok(), "a grown file opens");
  for (std::string& record : RecordsOf(*grown, *second)) records.push_back(std::move(record));
  Promise(records == whole, "two steps give what one gives");
}

}  // namespace

void TryFormat(const std::string& spec_text, std::string_view input) {
  static const Workplace place;
  static const DatasetSpec spec = [&] {
    auto read = config::Read<DatasetSpec>("path: " + place.folder() + "\n" + spec_text, "spec");
    Promise(read.ok(), "the spec is sound");
    return *std::move(read);
  }();
  place.Write(input);
  DatasetSpec completed = spec;
  if (!storage::CompleteSpec(place.folder() + "/input", place.cache(), completed).ok()) return;
  const auto format = storage::MakeFormat(completed, place.cache());
  Promise(format.ok(), "there is a format");
  const auto found = Index(place, **format);
  if (!found) return;
  const auto file = place.cache().Open(place.folder() + "/input");
  Promise(file.ok(), "a file that was indexed opens");
  const std::vector<std::string> records = RecordsOf(*file, *found);
  Promise(std::ssize(records) + found->num_bad <= found->records_done + 1, "records are counted");
  const auto again = Index(place, **format);
  Promise(again && again->rows.hash == found->rows.hash &&
              again->rows.event_time == found->rows.event_time,
          "a second reading finds the same");
  const auto packed = storage::OpenFile::Open(place.folder() + "/input");
  const bool is_plain = packed.ok() && file->path() == packed->path();
  if (completed.append && is_plain) CheckTwoSteps(place, **format, input, records);
}

}  // namespace tidemill::fuzz
