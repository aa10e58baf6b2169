#include "storage/formats/window_reader.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tidemill::storage {

namespace {

constexpr int64_t kLeastWindow = 4 << 10;
constexpr int64_t kWindow = 1 << 20;

}  // namespace

absl::StatusOr<int64_t> ReadWindows(const OpenFile& file, int64_t from,
                                    const WindowConsumer& consume, int64_t most_bytes,
                                    const std::function<bool()>& is_unwanted) {
  // Each of 10^5 small files would cost the clearing of a large window. One byte more than a file
  // has shows its end.
  ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
  std::vector<char> window(
      static_cast<size_t>(std::clamp(identity.size_bytes - from + 1, kLeastWindow, kWindow)));
  int64_t offset = from;
  size_t held = 0;
  while (true) {
    if (is_unwanted && is_unwanted()) return Cancelled("the file is no longer wanted");
    const int64_t next = offset + static_cast<int64_t>(held);
    if (next - from >= most_bytes) return offset;
    ASSIGN_OR_RETURN(const size_t count,
                     file.ReadAt(next, window.data() + held, window.size() - held));
    held += count;
    const bool last = held < window.size();
    ASSIGN_OR_RETURN(const size_t done, consume({window.data(), held}, offset, last));
    offset += static_cast<int64_t>(done);
    held -= done;
    if (last) return offset;
    std::memmove(window.data(), window.data() + done, held);
    if (held > window.size() / 2) window.resize(window.size() * 2);
  }
}

}  // namespace tidemill::storage
