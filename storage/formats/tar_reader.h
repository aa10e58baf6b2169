// Walks the members of a tar archive: POSIX ustar and pax, GNU's long names, and what came before.
// Formats as in POSIX.1-2017, pax, "ustar Interchange Format" and "pax Interchange Format".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

struct TarMember {
  std::string path;
  bool is_file = false;  // A regular one; else a folder, a link or the like.
  int64_t offset = 0;    // Of its bytes in the archive.
  int64_t size = 0;
  // Why the bytes are not the file's; empty where they are.
  std::string problem;
};

// Thread-compatible.
class TarReader {
 public:
  // `file` must outlive it; `file_size` as it was when the walk began.
  TarReader(const OpenFile& file, int64_t file_size);

  // The next member, std::nullopt at the archive's end. DATA_LOSS where no header can be made out,
  // behind which nothing can be found; other codes as OpenFile::ReadAt.
  absl::StatusOr<std::optional<TarMember>> Next();

  // After the last member: whether the archive's end is marked, so that nothing was cut off.
  bool has_end_mark() const { return saw_end_mark_; }

  // The bytes of a member piece by piece. DATA_LOSS when the file holds fewer by now.
  absl::Status Read(const TarMember& member, const std::function<void(std::string_view)>& take);

 private:
  // What headers of their own say of the member behind them.
  struct Overrides {
    std::optional<std::string> path;
    std::optional<int64_t> size;
    bool sparse = false;
    bool damaged = false;
  };

  absl::StatusOr<std::string_view> View(int64_t offset, size_t size);
  // The next block that is a header, empty at the end.
  absl::StatusOr<std::string_view> NextHeader();
  absl::Status TakeOverrides(char type, int64_t size, Overrides& overrides);
  absl::StatusOr<TarMember> MakeMember(std::string_view header, const Overrides& overrides);
  absl::Status SkipSparseMap();

  const OpenFile& file_;
  const int64_t file_size_;
  int64_t at_ = 0;
  bool saw_end_mark_ = false;
  std::vector<char> buffer_;
  int64_t buffer_from_ = 0;
  size_t buffer_size_ = 0;
};

}  // namespace tidemill::storage
