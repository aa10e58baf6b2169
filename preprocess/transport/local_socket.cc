#include "preprocess/transport/local_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace tidemill::preprocess {

namespace {

absl::StatusOr<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return InvalidArgument("'{}' is no path for a socket", path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

absl::StatusOr<Descriptor> NewSocket() {
  Descriptor descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!descriptor.is_open()) return Unavailable("no socket: {}", std::strerror(errno));
  return descriptor;
}

bool IsForNow(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

std::vector<Descriptor> DescriptorsOf(msghdr& message) {
  std::vector<Descriptor> descriptors;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      descriptors.emplace_back(number);
    }
  }
  return descriptors;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

absl::StatusOr<LocalSocket> LocalSocket::Connect(const std::string& path) {
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  ASSIGN_OR_RETURN(Descriptor descriptor, NewSocket());
  if (connect(descriptor.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
      0) {
    return Unavailable("cannot connect to {}: {}", path, std::strerror(errno));
  }
  return LocalSocket(std::move(descriptor));
}

absl::StatusOr<LocalSocket> LocalSocket::Listen(const std::string& path) {
  if (Connect(path).ok()) return Unavailable("another process listens on {}", path);
  struct stat status = {};
  if (lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) unlink(path.c_str());
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  ASSIGN_OR_RETURN(Descriptor descriptor, NewSocket());
  // Whoever connects before the mode is set is still seen by his uid.
  if (bind(descriptor.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
          0 ||
      chmod(path.c_str(), 0600) != 0 || listen(descriptor.number(), SOMAXCONN) != 0) {
    return Unavailable("cannot listen on {}: {}", path, std::strerror(errno));
  }
  return LocalSocket(std::move(descriptor));
}

std::optional<LocalSocket> LocalSocket::Accept() const {
  Descriptor accepted(accept4(number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!accepted.is_open()) return std::nullopt;
  return LocalSocket(std::move(accepted));
}

uid_t LocalSocket::PeerUid() const {
  ucred peer = {};
  socklen_t size = sizeof(peer);
  if (getsockopt(number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return static_cast<uid_t>(-1);
  }
  return peer.uid;
}

absl::Status LocalSocket::Send(std::string_view bytes, int descriptor) const {
  iovec piece = {const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message = {};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* const part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(part), &descriptor, sizeof(int));
  }
  if (sendmsg(number(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return absl::OkStatus();
  return Unavailable("cannot send: {}", std::strerror(errno));
}

absl::StatusOr<std::optional<Packet>> LocalSocket::Receive() const {
  Packet packet{.bytes = std::string(kMaxPacketBytes, '\0')};
  iovec piece = {packet.bytes.data(), packet.bytes.size()};
  msghdr message = {};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))];
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t received = recvmsg(number(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (received < 0 && IsForNow(errno)) return std::optional<Packet>();
  if (received < 0) return Unavailable("cannot receive: {}", std::strerror(errno));
  std::vector<Descriptor> descriptors = DescriptorsOf(message);
  if (received == 0) return Unavailable("the other end closed the connection");
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || descriptors.size() > 1) {
    return DataLoss("a packet of {} bytes with {} descriptors", received, descriptors.size());
  }
  packet.bytes.resize(static_cast<size_t>(received));
  if (!descriptors.empty()) packet.descriptor = std::move(descriptors[0]);
  return std::optional<Packet>(std::move(packet));
}

bool LocalSocket::Await(std::chrono::milliseconds time) const {
  pollfd wanted = {.fd = number(), .events = POLLIN, .revents = 0};
  return poll(&wanted, 1, static_cast<int>(time.count())) > 0;
}

}  // namespace tidemill::preprocess
