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

// How long what others have appended may remain unseen by one who lacks it, and would prepare it
// itself; more where looking takes longer than that.
constexpr int64_t kRefreshNs = 100'000;
constexpr int64_t kRefreshFactor = 1;
// How long the bytes of a removed file may stay because it is open here.
constexpr int64_t kHoldNs = 1'000'000'000;
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
  if (std::ranges::none_of(files_, [](const KnownFile& one) { return one.file->IsRemoved(); })) {
    return;
  }
  absl::erase_if(places_, [](const auto& named) { return named.second.file->IsRemoved(); });
  std::erase_if(files_, [](const KnownFile& one) { return one.file->IsRemoved(); });
}

bool FolderSamples::IsRefreshDue(int64_t now, bool lacks) const {
  const int64_t wait = lacks ? std::max(kRefreshNs, kRefreshFactor * refresh_took_ns_) : kHoldNs;
  return refreshed_ns_ == 0 || now - refreshed_ns_ > wait;
}

void FolderSamples::Refresh() {
  const int64_t begin = Now();
  DropRemovedFiles();
  std::error_code error;
  fs::directory_iterator entry(folder_, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() != ".rows") continue;
    const std::string path = entry->path().string();
    const bool is_known = std::ranges::any_of(
        files_, [&](const KnownFile& known) { return known.file->path() == path; });
    if (is_known || std::ssize(files_) >= kMostFiles) continue;
    auto file = RowFile::OpenToRead(path);
    if (file.ok()) files_.push_back({std::make_shared<RowFile>(*std::move(file))});
  }
  for (const KnownFile& known : files_) {
    if (!known.is_own) Scan(known.file);
  }
  refreshed_ns_ = Now();
  refresh_took_ns_ = refreshed_ns_ - begin;
}

std::vector<FolderSamples::Wanted> FolderSamples::Look(std::span<const SampleName> names,
                                                       const NamedRows& rows) const {
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
    wanted = Look(names, rows);
    if (IsRefreshDue(begin, std::ssize(wanted) < num_asked)) {
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

absl::Status FolderSamples::OpenOwn() {
  if (own_ != nullptr && own_->end() < kLongestFile && !own_->IsRemoved()) return absl::OkStatus();
  if (own_ != nullptr) own_->GiveRoomBack();
  own_ = nullptr;
  // A file that no process appends to any more is taken over, so that there are few of them.
  for (int number = 1; number <= kMostFiles; ++number) {
    const std::string path = files::Join(folder_, fmt::format("{}.rows", number));
    auto file = RowFile::OpenToAppend(path);
    // Others append to it, or it is not a file.
    if (absl::IsUnavailable(file.status()) || absl::IsFailedPrecondition(file.status())) continue;
    if (absl::IsNotFound(file.status())) return NotFound("{} was removed", folder_);
    RETURN_IF_ERROR(file.status());
    auto opened = std::make_shared<RowFile>(*std::move(file));
    MutexLock lock(mutex_);
    Scan(opened);
    if (opened->end() >= kLongestFile) continue;
    opened->GiveRoomBack();
    std::erase_if(files_,
                  [&](const KnownFile& known) { return known.file->path() == opened->path(); });
    files_.push_back({opened, /*is_own=*/true});
    own_ = std::move(opened);
    return absl::OkStatus();
  }
  return ResourceExhausted("{} has {} files", folder_, kMostFiles);
}

bool FolderSamples::Refuse(int64_t num_rows, const absl::Status& why) {
  full_until_ns_ = Now() + kFullForNs;
  {
    MutexLock lock(mutex_);
    counts_.refused += num_rows;
  }
  if (std::exchange(has_said_full_, true)) return false;
  // A budget that is used up is as it should be.
  const auto say = absl::IsResourceExhausted(why) ? log::Info : log::Warn;
  say("prepared rows are not kept; they are prepared again each time",
      {{"folder", budget_.folder()}, {"because", std::string(why.message())}});
  return false;
}

std::vector<int64_t> FolderSamples::NewRows(std::span<const SampleName> names,
                                            const NamedRows& rows) const {
  std::vector<int64_t> which;
  MutexLock lock(mutex_);
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_new =
        rows.states[i] != RowState::kMissing && names[i].record != 0 && !places_.contains(names[i]);
    if (is_new) which.push_back(static_cast<int64_t>(i));
  }
  return which;
}

absl::StatusOr<std::vector<RowPlace>> FolderSamples::Append(std::span<const SampleName> names,
                                                            const NamedRows& rows,
                                                            std::span<const int64_t> which) {
  RETURN_IF_ERROR(OpenOwn());
  const int64_t lacking = BlockBytes(rows, columns_, which) - own_->room();
  if (lacking > 0) {
    bool has_grown = false;
    RETURN_IF_ERROR(budget_.MakeRoom(
        digest_, lacking, [&, &own = *own_](int64_t bytes) { has_grown = own.TakeRoom(bytes); }));
    if (!has_grown) return Unavailable("{} cannot grow", own_->path());
  }
  return own_->Append(names, rows, columns_, which);
}

bool FolderSamples::Keep(std::span<const SampleName> names, const NamedRows& rows) {
  const int64_t begin = Now();
  MutexLock one_at_a_time(appending_);
  const std::vector<int64_t> which = NewRows(names, rows);
  if (which.empty()) return true;
  if (begin < full_until_ns_) {
    MutexLock lock(mutex_);
    counts_.refused += std::ssize(which);
    return false;
  }
  const auto places = Append(names, rows, which);
  if (!places.ok()) return Refuse(std::ssize(which), places.status());
  MutexLock lock(mutex_);
  for (const RowPlace& at : *places) places_[at.entry.name()] = {own_, at};
  counts_.kept += std::ssize(which);
  counts_.kept_bytes += BlockBytes(rows, columns_, which);
  counts_.write_ns += Now() - begin;
  return true;
}

StoreCounts FolderSamples::counts() const {
  MutexLock lock(mutex_);
  return counts_;
}

}  // namespace tidemill::prepared
