#include "plugin/host/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "fmt/format.h"

namespace tidemill::plugin::host {
namespace {

constexpr size_t kMaxBytes = size_t{16} << 20;

// The owner may have made the socket one that does not wait.
bool IsLater(int socket, short events) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  pollfd polled{.fd = socket, .events = events, .revents = 0};
  poll(&polled, 1, -1);
  return true;
}

}  // namespace

bool Connection::ReadAll(char* bytes, size_t size) const {
  while (size > 0) {
    const ssize_t got = recv(socket_, bytes, size, 0);
    if (got < 0 && IsLater(socket_, POLLIN)) continue;
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

std::optional<nlohmann::json> Connection::Receive() {
  uint32_t size = 0;
  if (!ReadAll(reinterpret_cast<char*>(&size), sizeof size) || size > kMaxBytes) {
    return std::nullopt;
  }
  std::string text(size, '\0');
  if (!ReadAll(text.data(), size)) return std::nullopt;
  nlohmann::json message = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return message.is_discarded() ? nlohmann::json() : message;
}

bool Connection::Send(const nlohmann::json& message) {
  // Texts of a plug-in may be anything.
  std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > kMaxBytes) {
    text = FaultOf(fmt::format("an answer of {} bytes; the most is {}", text.size(), kMaxBytes), "")
               .dump();
  }
  const auto size = static_cast<uint32_t>(text.size());
  text.insert(0, reinterpret_cast<const char*>(&size), sizeof size);
  for (size_t at = 0; at < text.size();) {
    const ssize_t sent = send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (sent < 0 && IsLater(socket_, POLLOUT)) continue;
    if (sent < 0) return false;
    at += static_cast<size_t>(sent);
  }
  return true;
}

nlohmann::json FaultOf(const std::string& what, const std::string& where) {
  return {{"ok", false}, {"fault", {{"what", what}, {"where", where}}}};
}

}  // namespace tidemill::plugin::host
