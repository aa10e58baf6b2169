#include "base/whole_io.h"

#include <unistd.h>

#include <cerrno>

namespace tidemill {
namespace {

// Calls until it is not a signal that ends the call.
ssize_t Again(auto&& call) {
  ssize_t count = -1;
  do {
    count = call();
  } while (count < 0 && errno == EINTR);
  return count;
}

}  // namespace

bool WriteWhole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = Again([&] { return ::write(file, bytes.data(), bytes.size()); });
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

bool WriteWholeAt(int file, std::string_view bytes, int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = Again([&] { return ::pwrite(file, bytes.data(), bytes.size(), offset); });
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
    offset += count;
  }
  return true;
}

ssize_t ReadWholeAt(int file, std::span<char> bytes, int64_t offset) {
  ssize_t done = 0;
  while (done < std::ssize(bytes)) {
    const auto rest = bytes.subspan(static_cast<size_t>(done));
    const ssize_t count =
        Again([&] { return ::pread(file, rest.data(), rest.size(), offset + done); });
    if (count < 0) return -1;
    if (count == 0) break;
    done += count;
  }
  return done;
}

ssize_t ReadSome(int file, std::span<char> bytes) {
  return Again([&] { return ::read(file, bytes.data(), bytes.size()); });
}

}  // namespace tidemill
