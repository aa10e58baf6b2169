// Reads the members of a tar archive: POSIX ustar and pax, GNU's long names, and older archives.
// The formats are defined in POSIX.1-2017, pax, "ustar Interchange Format" and "pax Interchange
// Format".
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
  bool is_file = false;  // Whether it is a regular file, not a folder or link.
  int64_t offset = 0;    // The offset of its bytes in the archive.
  int64_t size = 0;
  // Why the bytes are not those of the file. Empty when they are.
  std::string problem;
};

// Thread-compatible.
class TarReader {
 public:
  // `file` must outlive this object. `file_size` is its size when the reading began.
  TarReader(const OpenFile& file, int64_t file_size);

  // Returns the next member, or std::nullopt at the end of the archive. DATA_LOSS when there is no
  // valid header; nothing can be found behind it. Other codes are those of OpenFile::ReadAt.
  absl::StatusOr<std::optional<TarMember>> Next();

  // Call it after the last member. Whether the archive has an end mark, so that nothing was cut
  // off.
  bool has_end_mark() const { return saw_end_mark_; }

  // Reads the bytes of a member piece by piece. DATA_LOSS when the file has fewer bytes by now.
  absl::Status Read(const TarMember& member, const std::function<void(std::string_view)>& take);

 private:
  // What extra headers say about the member behind them.
  struct Overrides {
    std::optional<std::string> path;
    std::optional<int64_t> size;
    bool sparse = false;
    bool damaged = false;
  };

  absl::StatusOr<std::string_view> View(int64_t offset, size_t size);
  // Returns the next header block; empty at the end.
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
