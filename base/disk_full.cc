#include "base/disk_full.h"

#include <cerrno>

namespace tidemill {
namespace {

// A status travels between processes as code and text alone.
constexpr std::string_view kMark = "the disk is full: ";

}  // namespace

bool IsNoRoom(int error) { return error == ENOSPC || error == EDQUOT; }

absl::Status DiskFull(std::string_view what) { return Unavailable("{}{}", kMark, what); }

bool IsDiskFull(const absl::Status& status) {
  return absl::IsUnavailable(status) &&
         std::string_view(status.message().data(), status.message().size()).find(kMark) !=
             std::string_view::npos;
}

}  // namespace tidemill
