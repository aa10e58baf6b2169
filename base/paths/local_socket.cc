#include "base/paths/local_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace tidemill {
namespace {

constexpr size_t kControlBytes = CMSG_SPACE(LocalSocket::kMaxDescriptors * sizeof(int));

int TypeOf(LocalSocket::Kind kind) {
  return kind == LocalSocket::Kind::kStream ? SOCK_STREAM : SOCK_SEQPACKET;
}

absl::StatusOr<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return InvalidArgument("'{}' cannot be the path of a socket", path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

absl::StatusOr<Descriptor> NewSocket(LocalSocket::Kind kind) {
  Descriptor descriptor(::socket(AF_UNIX, TypeOf(kind) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!descriptor.is_open()) return Unavailable("cannot make a socket: {}", std::strerror(errno));
  return descriptor;
}

bool MayComeLater(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == ENOBUFS;
}

// `control` must be aligned as a cmsghdr, have kControlBytes and outlive `message`.
void PutDescriptors(std::span<const int> descriptors, char* control, msghdr& message) {
  const size_t size = descriptors.size_bytes();
  std::memset(control, 0, CMSG_SPACE(size));
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(size);
  cmsghdr* const part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(size);
  std::memcpy(CMSG_DATA(part), descriptors.data(), size);
}

// Whatever else comes is not asked for.
void TakeDescriptors(msghdr& message, std::vector<Descriptor>& descriptors) {
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
}

}  // namespace

absl::StatusOr<LocalSocket> LocalSocket::Connect(const std::string& path, Kind kind) {
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  ASSIGN_OR_RETURN(Descriptor descriptor, NewSocket(kind));
  if (::connect(descriptor.number(), reinterpret_cast<const sockaddr*>(&address),
                sizeof(address)) != 0) {
    return Unavailable("cannot connect to {}: {}", path, std::strerror(errno));
  }
  return LocalSocket(std::move(descriptor));
}

absl::StatusOr<LocalSocket> LocalSocket::Listen(const std::string& path, Kind kind) {
  if (Connect(path, kind).ok()) return Unavailable("another process listens on {}", path);
  struct stat status = {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) ::unlink(path.c_str());
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  ASSIGN_OR_RETURN(Descriptor descriptor, NewSocket(kind));
  // A client that connects before the mode is set is still known by its uid.
  if (::bind(descriptor.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
          0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::listen(descriptor.number(), SOMAXCONN) != 0) {
    return Unavailable("cannot listen on {}: {}", path, std::strerror(errno));
  }
  return LocalSocket(std::move(descriptor));
}

absl::StatusOr<std::pair<LocalSocket, LocalSocket>> LocalSocket::MakePair(Kind kind) {
  int ends[2];
  if (::socketpair(AF_UNIX, TypeOf(kind) | SOCK_CLOEXEC, 0, ends) != 0) {
    return ResourceExhausted("cannot make a pair of sockets: {}", std::strerror(errno));
  }
  return std::pair(LocalSocket(Descriptor(ends[0])), LocalSocket(Descriptor(ends[1])));
}

std::optional<LocalSocket> LocalSocket::Accept() const {
  Descriptor accepted(::accept4(number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!accepted.is_open()) return std::nullopt;
  return LocalSocket(std::move(accepted));
}

uid_t LocalSocket::PeerUid() const {
  ucred peer = {};
  socklen_t size = sizeof(peer);
  if (::getsockopt(number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return static_cast<uid_t>(-1);
  }
  return peer.uid;
}

void LocalSocket::SetSendBuffer(int bytes) const {
  ::setsockopt(number(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

absl::StatusOr<size_t> LocalSocket::Send(std::span<const std::byte> bytes,
                                         std::span<const int> descriptors) const {
  TIDEMILL_CHECK(!bytes.empty());
  if (descriptors.size() > kMaxDescriptors) {
    return InvalidArgument("cannot send {} descriptors at once; the limit is {}",
                           descriptors.size(), kMaxDescriptors);
  }
  iovec piece = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  msghdr message = {};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[kControlBytes];
  if (!descriptors.empty()) PutDescriptors(descriptors, control, message);
  const ssize_t sent = ::sendmsg(number(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<size_t>(sent);
  if (MayComeLater(errno)) return size_t{0};
  return Unavailable("cannot send: {}", std::strerror(errno));
}

absl::Status LocalSocket::SendAndWait(std::span<const std::byte> bytes,
                                      std::span<const int> descriptors) const {
  while (!bytes.empty()) {
    ASSIGN_OR_RETURN(const size_t sent, Send(bytes, descriptors));
    bytes = bytes.subspan(sent);
    if (sent > 0) {
      descriptors = {};
      continue;
    }
    pollfd room = {.fd = number(), .events = POLLOUT, .revents = 0};
    ::poll(&room, 1, -1);
  }
  return absl::OkStatus();
}

absl::StatusOr<size_t> LocalSocket::Receive(std::span<std::byte> bytes,
                                            std::vector<Descriptor>& descriptors) const {
  iovec piece = {bytes.data(), bytes.size()};
  msghdr message = {};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[kControlBytes];
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t received = ::recvmsg(number(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (received < 0 && MayComeLater(errno)) return size_t{0};
  if (received < 0) return Unavailable("cannot receive: {}", std::strerror(errno));
  TakeDescriptors(message, descriptors);
  if ((message.msg_flags & MSG_CTRUNC) != 0) return DataLoss("descriptors were lost on the way");
  if ((message.msg_flags & MSG_TRUNC) != 0) {
    return DataLoss("a packet has more than {} bytes", bytes.size());
  }
  if (received == 0) return Unavailable("the other end closed the connection");
  return static_cast<size_t>(received);
}

bool LocalSocket::Await(std::chrono::milliseconds time, bool to_send) const {
  pollfd wanted = {.fd = number(),
                   .events = static_cast<int16_t>(to_send ? POLLIN | POLLOUT : POLLIN),
                   .revents = 0};
  return ::poll(&wanted, 1, static_cast<int>(time.count())) > 0;
}

}  // namespace tidemill
