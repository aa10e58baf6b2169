#include "prepared/folder_samples.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "fmt/format.h"

#include "base/files.h"
#include "base/logs/log.h"

namespace tidemill::prepared {
namespace {

namespace fs = std::filesystem;

// How long what others have appended may remain unseen; while rows are missing, and must be
// prepared otherwise, it is looked for more often.
constexpr int64_t kRefreshNs = 20'000'000;
constexpr int64_t kRefreshMissingNs = 100'000;
constexpr int64_t kFullForNs = 5'000'000'000;
// A file that is longer is not appended to, so that room can be made piece by piece.
constexpr int64_t kLongestFile = int64_t{256} << 20;
constexpr int kMostFiles = 4096;

int64_t Now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace

FolderSamples::FolderSamples(const FolderBudget& budget, std::string digest, std::string folder,
                             RowColumns columns)
    : budget_(budget),
      digest_(std::move(digest)),
      folder_(std::move(folder)),
      columns_(std::move(columns)) {}

absl::StatusOr<std::unique_ptr<FolderSamples>> FolderSamples::Open(const FolderBudget& budget,
                                                                   std::string digest,
                                                                   const PointAbout& about,
                                                                   RowColumns columns) {
  ASSIGN_OR_RETURN(std::string folder, budget.OpenPoint(digest, about));
  return std::unique_ptr<FolderSamples>(
      new FolderSamples(budget, std::move(digest), std::move(folder), std::move(columns)));
}

void FolderSamples::Scan(const std::shared_ptr<RowFile>& file) {
  file->Scan([&](const RowPlace& at) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    places_[at.entry.name()] = {file, at};
  });
}

// Room was made for rows that are worth more, or a user removed the folder.
void FolderSamples::DropRemovedFiles() {
  const auto is_removed = [](const std::shared_ptr<const RowFile>& file) {
    return file->IsRemoved();
  };
  if (std::ranges::none_of(files_, is_removed)) return;
  absl::erase_if(places_, [&](const auto& named) { return is_removed(named.second.file); });
  std::erase_if(files_, is_removed);
}

void FolderSamples::Refresh() {
  refreshed_ns_ = Now();
  DropRemovedFiles();
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().extension() != ".rows") continue;
    const std::string path = entry.path().string();
    const bool is_known = std::ranges::any_of(
        files_, [&](const std::shared_ptr<RowFile>& file) { return file->path() == path; });
    if (is_known || std::ssize(files_) >= kMostFiles) continue;
    auto file = RowFile::OpenToRead(path);
    if (file.ok()) files_.push_back(std::make_shared<RowFile>(*std::move(file)));
  }
  for (const std::shared_ptr<RowFile>& file : files_) Scan(file);
}

std::vector<FolderSamples::Wanted> FolderSamples::Look(std::span<const SampleName> names,
                                                       const NamedRows& rows) {
  std::vector<Wanted> wanted;
  for (size_t i = 0; i < names.size(); ++i) {
    if (rows.states[i] != RowState::kMissing || names[i].record == 0) continue;
    const auto found = places_.find(names[i]);
    if (found != places_.end()) wanted.push_back({static_cast<int64_t>(i), found->second});
  }
  return wanted;
}

void FolderSamples::NoteDamage(const Wanted& wanted, const SampleName& name) {
  const auto known = places_.find(name);
  if (known != places_.end() && known->second.file == wanted.place.file &&
      known->second.at.offset == wanted.place.at.offset) {
    places_.erase(known);
  }
  ++counts_.damaged;
  if (std::exchange(has_said_damage_, true)) return;
  log::Warn("a prepared row is damaged or was wiped, and is prepared again",
            {{"file", wanted.place.file->path()}, {"key", fmt::format("{}", name.key)}});
}

void FolderSamples::Find(std::span<const SampleName> names, NamedRows& rows) {
  const int64_t begin = Now();
  const int64_t num_asked = rows.NumMissing();
  std::vector<Wanted> wanted;
  {
    MutexLock lock(mutex_);
    if (begin - refreshed_ns_ > kRefreshNs) Refresh();
    wanted = Look(names, rows);
    if (std::ssize(wanted) < num_asked && begin - refreshed_ns_ > kRefreshMissingNs) {
      Refresh();
      wanted = Look(names, rows);
    }
  }
  std::vector<const Wanted*> damaged;
  for (const Wanted& one : wanted) {
    if (!one.place.file->Read(one.place.at, columns_, one.row, rows)) damaged.push_back(&one);
  }
  MutexLock lock(mutex_);
  for (const Wanted* one : damaged) NoteDamage(*one, names[static_cast<size_t>(one->row)]);
  const int64_t num_found = std::ssize(wanted) - std::ssize(damaged);
  counts_.found += num_found;
  counts_.missing += num_asked - num_found;
  counts_.read_ns += Now() - begin;
}

std::shared_ptr<RowFile> FolderSamples::FileToAppend() {
  if (own_ != nullptr && own_->end() < kLongestFile && !own_->IsRemoved()) return own_;
  own_ = nullptr;
  // A file that no process appends to any more is taken over, so that there are few of them.
  for (int number = 1; number <= kMostFiles; ++number) {
    const std::string path = files::Join(folder_, fmt::format("{}.rows", number));
    auto file = RowFile::OpenToAppend(path);
    if (absl::IsUnavailable(file.status())) continue;
    if (!file.ok()) return nullptr;
    auto shared = std::make_shared<RowFile>(*std::move(file));
    Scan(shared);
    if (shared->end() >= kLongestFile) continue;
    std::erase_if(files_, [&](const std::shared_ptr<RowFile>& known) {
      return known->path() == shared->path();
    });
    files_.push_back(shared);
    own_ = std::move(shared);
    return own_;
  }
  return nullptr;
}

bool FolderSamples::Refuse(int64_t num_rows, std::string_view why) {
  counts_.refused += num_rows;
  full_until_ns_ = Now() + kFullForNs;
  if (std::exchange(has_said_full_, true)) return false;
  log::Info("prepared rows are not kept; they are prepared again each time",
            {{"folder", budget_.folder()}, {"because", std::string(why)}});
  return false;
}

bool FolderSamples::Keep(std::span<const SampleName> names, const NamedRows& rows) {
  const int64_t begin = Now();
  MutexLock lock(mutex_);
  std::vector<int64_t> which;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_new =
        rows.states[i] != RowState::kMissing && names[i].record != 0 && !places_.contains(names[i]);
    if (is_new) which.push_back(static_cast<int64_t>(i));
  }
  if (which.empty()) return true;
  const int64_t bytes = BlockBytes(rows, columns_, which);
  if (begin < full_until_ns_) {
    counts_.refused += std::ssize(which);
    return false;
  }
  if (!budget_.MakeRoom(digest_, bytes)) {
    return Refuse(std::ssize(which), "the budget is used up by rows that save as much");
  }
  const std::shared_ptr<RowFile> file = FileToAppend();
  if (file == nullptr) return Refuse(std::ssize(which), "the folder cannot be written");
  const auto places = file->Append(names, rows, columns_, which);
  if (!places.ok()) return Refuse(std::ssize(which), std::string(places.status().message()));
  for (const RowPlace& at : *places) places_[at.entry.name()] = {file, at};
  counts_.kept += std::ssize(which);
  counts_.kept_bytes += bytes;
  counts_.write_ns += Now() - begin;
  return true;
}

StoreCounts FolderSamples::counts() const {
  MutexLock lock(mutex_);
  return counts_;
}

}  // namespace tidemill::prepared
