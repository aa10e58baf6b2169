#include "devices/device_lock.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace tidemill::devices {
namespace {

// How often a process that waits tries again.
constexpr std::chrono::milliseconds kPause{50};

// Returns the socket that holds the device. UNAVAILABLE when another one does.
absl::StatusOr<Descriptor> TryBind(const std::string& id) {
  // The first byte is zero: the name of a socket without a file.
  const std::string name = std::string(1, '\0') + "tidemill-device-" + id;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() > sizeof(address.sun_path)) {
    return InvalidArgument("the id of a device has {} bytes", id.size());
  }
  std::memcpy(address.sun_path, name.data(), name.size());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return ResourceExhausted("cannot make a socket: {}", strerror(errno));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  if (bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), size) == 0) return socket;
  if (errno == EADDRINUSE) return Unavailable("another process has device {}", id);
  return Internal("cannot hold device {}: {}", id, strerror(errno));
}

}  // namespace

absl::StatusOr<DeviceLock> DeviceLock::Take(const std::string& id,
                                            std::chrono::milliseconds longest_wait) {
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  while (true) {
    absl::StatusOr<Descriptor> socket = TryBind(id);
    if (socket.ok()) return DeviceLock(*std::move(socket));
    if (!absl::IsUnavailable(socket.status()) || std::chrono::steady_clock::now() >= end) {
      return socket.status();
    }
    std::this_thread::sleep_for(kPause);
  }
}

bool DeviceLock::IsHeld(const std::string& id) { return absl::IsUnavailable(TryBind(id).status()); }

}  // namespace tidemill::devices
