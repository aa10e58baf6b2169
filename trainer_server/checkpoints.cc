#include "trainer_server/checkpoints.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/failpoints.h"
#include "base/files.h"
#include "base/logs/log.h"
#include "base/paths/regular_file.h"

namespace tidemill::trainer_server {
namespace {

constexpr std::string_view kSuffix = ".checkpoint";
constexpr size_t kDigestSize = 64;
constexpr size_t kNumKept = 2;
constexpr size_t kMaxBytes = size_t{1} << 36;

struct Entry {
  int64_t batches;
  std::string path;
};

// The newest first.
std::vector<Entry> List(const std::string& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = file.path().filename().string();
    int64_t batches = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), batches);
    if (failed != std::errc() || std::string_view(end) != kSuffix) continue;
    entries.push_back({batches, file.path().string()});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.batches > b.batches; });
  return entries;
}

}  // namespace

// The folder while the checkpoint of batch 300 is written:
//
//   000000000100.checkpoint        removed once 300 has its name
//   000000000200.checkpoint        kept: the one before, should 300 turn out to be damaged
//   000000000300.checkpoint.new    synced, not named yet
//
// and a file:
//
//   +------------------------------+------------------------------------------------+
//   | SHA-256 of the payload, hex  | payload (training/training_checkpoint.cc)      |
//   +------------------------------+------------------------------------------------+
//     64 bytes                       the rest
//
// A kill leaves a whole file or a `.new`, which is never read and which the next write of that
// batch replaces.
absl::Status Checkpoints::Write(const StoredCheckpoint& checkpoint) const {
  RETURN_IF_ERROR(files::CreateFolder(folder_));
  const std::string path =
      files::Join(folder_, fmt::format("{:012}{}", checkpoint.batches, kSuffix));
  RETURN_IF_ERROR(
      files::WriteAtomically(path + ".new", Sha256(checkpoint.payload) + checkpoint.payload));
  RETURN_IF_FAILPOINT("trainer_server.before_checkpoint_rename");
  std::error_code error;
  std::filesystem::rename(path + ".new", path, error);
  if (error) return Internal("cannot rename {}: {}", path, error.message());
  const std::vector<Entry> entries = List(folder_);
  for (size_t i = kNumKept; i < entries.size(); ++i) {
    RETURN_IF_ERROR(files::Remove(entries[i].path));
  }
  return absl::OkStatus();
}

std::optional<Checkpoints::Latest> Checkpoints::FindLatest() const {
  const std::vector<Entry> entries = List(folder_);
  if (entries.empty()) return std::nullopt;
  const std::filesystem::path path(entries.front().path);
  return Latest{.name = path.filename().string(), .batches = entries.front().batches};
}

absl::StatusOr<std::optional<StoredCheckpoint>> Checkpoints::ReadLatest() const {
  for (const Entry& entry : List(folder_)) {
    absl::StatusOr<std::string> bytes = files::ReadRegular(entry.path, kMaxBytes);
    if (bytes.ok() && bytes->size() >= kDigestSize &&
        Sha256(std::string_view(*bytes).substr(kDigestSize)) == bytes->substr(0, kDigestSize)) {
      return StoredCheckpoint{entry.batches, bytes->substr(kDigestSize)};
    }
    log::Warn("skipping a damaged checkpoint", {{"path", entry.path}});
  }
  return std::optional<StoredCheckpoint>();
}

}  // namespace tidemill::trainer_server
