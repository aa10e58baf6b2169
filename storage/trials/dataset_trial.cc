#include "storage/trials/dataset_trial.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"
#include "storage/spec/label_reader.h"
#include "storage/trials/part_trial.h"
#include "storage/trials/tried_files.h"

namespace tidemill::storage {

namespace {

constexpr size_t kMaxWholeFiles = 16;
constexpr int64_t kMaxArchiveBytes = int64_t{64} << 20;

// Looks at one dataset.
class DatasetTrial {
 public:
  explicit DatasetTrial(const DatasetSpec& spec) : spec_(spec) {}

  absl::StatusOr<DatasetPeek> Run() {
    RETURN_IF_ERROR(List());
    if (listed_.empty()) return std::move(peek_);
    peek_.first = listed_.front().path;
    CountUnknownFolders();
    if (const absl::Status read = ReadHead(); !read.ok()) {
      peek_.not_looked = std::string(read.message());
      return std::move(peek_);
    }
    TryParts();
    return std::move(peek_);
  }

 private:
  absl::Status List() {
    const auto listing = files_.List(spec_.path, spec_.files);
    if (absl::IsNotFound(listing.status()) || absl::IsInvalidArgument(listing.status())) {
      return listing.status();
    }
    if (!listing.ok()) {
      peek_.not_looked = std::string(listing.status().message());
      return absl::OkStatus();
    }
    for (const ListedFile& file : listing->files) {
      if (!IsCompanion(spec_, file.path)) listed_.push_back(file);
    }
    peek_.files_known = true;
    peek_.num_files = std::ssize(listed_);
    return absl::OkStatus();
  }

  void CountUnknownFolders() {
    if (!spec_.label.folder) return;
    const LabelReader labels(spec_.label);
    std::map<std::string, int64_t> unknown;
    for (const ListedFile& file : listed_) {
      const size_t name = file.path.rfind('/');
      if (name == std::string::npos) {
        ++unknown["."];
        continue;
      }
      const std::string folder = file.path.substr(0, name);
      const std::string last = folder.substr(folder.rfind('/') + 1);
      if (!labels.FromText(last).ok()) ++unknown[last];
    }
    for (const auto& [name, count] : unknown) {
      peek_.unknown_folders.push_back({.name = name, .num_files = count});
    }
  }

  absl::Status ReadHead() {
    const std::string path = files::Join(spec_.path, *peek_.first);
    absl::StatusOr<OpenFile> file = files_.Open(path);
    // Packed and damaged: shown as raw bytes.
    if (absl::IsDataLoss(file.status())) file = files_.OpenPacked(path);
    RETURN_IF_ERROR(file.status());
    peek_.head.resize(kHeadBytes);
    ASSIGN_OR_RETURN(const size_t size, file->ReadAt(0, peek_.head.data(), peek_.head.size()));
    peek_.head.resize(size);
    return absl::OkStatus();
  }

  void TryParts() {
    DatasetSpec spec = spec_;
    const std::string first = files::Join(spec.path, *peek_.first);
    // The caller, which knows what was meant, reports what is wrong with a header.
    if (!CompleteSpec(first, files_.unpacked(), spec).ok()) return;
    auto trial = PartTrial::Create(spec, files_);
    if (!trial.ok()) {
      peek_.parts.push_back(
          {.file = *peek_.first, .refusal = std::string(trial.status().message())});
      return;
    }
    const bool is_archive = spec.format->Unit() == SampleUnit::kMembers;
    for (const ListedFile& file : Chosen()) {
      if (is_archive && file.identity.size_bytes > kMaxArchiveBytes) {
        peek_.not_looked = fmt::format("{} has more than {} MiB, as much as is tried of an archive",
                                       file.path, kMaxArchiveBytes >> 20);
        continue;
      }
      trial->Try(file, peek_.parts);
    }
    if (!peek_.parts.empty()) peek_.not_looked.clear();
  }

  std::vector<ListedFile> Chosen() const {
    const bool each_is_sample = spec_.format->Unit() == SampleUnit::kWholeFile;
    const size_t most = each_is_sample ? kMaxWholeFiles : 2;
    if (listed_.size() <= most) return listed_;
    std::vector<ListedFile> chosen;
    for (size_t i = 0; i < most; ++i) {
      chosen.push_back(listed_[i * (listed_.size() - 1) / (most - 1)]);
    }
    return chosen;
  }

  const DatasetSpec& spec_;
  TriedFiles files_;
  std::vector<ListedFile> listed_;
  DatasetPeek peek_;
};

}  // namespace

absl::StatusOr<DatasetPeek> PeekAtDisk(const DatasetSpec& spec) {
  std::error_code error;
  if (!std::filesystem::exists(spec.path, error)) return NotFound("there is no {}", spec.path);
  return DatasetTrial(spec).Run();
}

}  // namespace tidemill::storage
