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

// A member of an archive, or bytes that are not a member.
struct TarMember {
  enum class Kind {
    kFile,
    kHardLink,
    kSymbolicLink,
    kOther,  // A folder, a device.
    kLost,   // Bytes in which no header can be found.
    kRest,   // Bytes after the end of the archive that are not members.
  };
  std::string path = {};
  Kind kind = Kind::kOther;
  int64_t offset = 0;  // The offset of its bytes in the archive.
  int64_t size = 0;
  std::string target = {};  // The target of a link, as written in the archive.
  // Why the bytes are not the content of the file. Empty when they are.
  std::string problem = {};
  // For lost bytes: whether the member before them is cut off, so that some of its bytes may belong
  // to other members.
  bool cuts_last = false;

  bool is_link() const { return kind == Kind::kHardLink || kind == Kind::kSymbolicLink; }
};

// Thread-compatible.
class TarReader {
 public:
  // `file` must outlive this object. `file_size` is its size when the reading began.
  TarReader(const OpenFile& file, int64_t file_size);

  // Returns the next member, or std::nullopt at the end of the file. Concatenated archives are read
  // as one. Resumes after a damaged header at the next sound one, which may be anywhere. Errors are
  // as in OpenFile::ReadAt.
  absl::StatusOr<std::optional<TarMember>> Next();

  // Whether the archive has an end mark, so that nothing was cut off. Call it after the last
  // member.
  bool has_end_mark() const { return saw_end_mark_; }

  // Reads the bytes of a member piece by piece. DATA_LOSS when the file has become shorter.
  absl::Status Read(const TarMember& member, const std::function<void(std::string_view)>& take);

 private:
  // The facts that extra headers state about the member that follows.
  struct Overrides {
    std::optional<std::string> path;
    std::optional<std::string> target;
    std::optional<int64_t> size;
    bool sparse = false;
    bool damaged = false;
  };

  absl::StatusOr<std::string_view> View(int64_t offset, size_t size);
  // DATA_LOSS when there is no valid header at `at_`.
  absl::StatusOr<std::optional<TarMember>> TakeMember();
  // Returns the next header block; empty at the end.
  absl::StatusOr<std::string_view> NextHeader();
  absl::Status TakeOverrides(char type, int64_t size, Overrides& overrides);
  static void TakePax(std::string_view text, Overrides& overrides);
  absl::StatusOr<TarMember> MakeMember(std::string_view header, const Overrides& overrides);
  absl::Status SkipSparseMap();
  // Resumes after the damage at `from`. Returns the lost bytes as a member.
  absl::StatusOr<TarMember> PassDamage(int64_t from, std::string why);
  absl::StatusOr<TarMember> PassRest(int64_t from, std::string why);
  // Returns where the first header from `from` on is. `grid` is where one would be if nothing was
  // inserted into the archive.
  absl::StatusOr<std::optional<int64_t>> FindHeader(int64_t from, int64_t grid);
  // Returns where the zeros begin that the file ends with.
  absl::StatusOr<int64_t> FindLastZeros(int64_t from);

  const OpenFile& file_;
  const int64_t file_size_;
  int64_t at_ = 0;
  bool saw_end_mark_ = false;
  int64_t header_from_ = 0;    // The offset of the header that is being read.
  int64_t last_from_ = 0;      // Where the bytes of the last member begin.
  int64_t last_to_ = -1;       // Where the next header should be; -1 for the first one.
  bool ends_in_last_ = false;  // Whether the file ends before `last_to_`.
  std::vector<char> buffer_;
  int64_t buffer_from_ = 0;
  size_t buffer_size_ = 0;
};

}  // namespace tidemill::storage
