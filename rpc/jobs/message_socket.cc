#include "rpc/jobs/message_socket.h"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fmt/format.h"

#include "base/descriptor.h"

namespace tidemill::rpc {
namespace {

constexpr size_t kLengthBytes = 4;
// How often a wait asks whether the caller still waits.
constexpr std::chrono::milliseconds kLook{50};

absl::StatusOr<Descriptor> OpenFolder(const std::string& folder) {
  Descriptor open(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!open.is_open()) return NotFound("cannot open {}: {}", folder, std::strerror(errno));
  return open;
}

// A short path of what is in an open folder.
std::string PathIn(const Descriptor& folder, const std::string& name) {
  return fmt::format("/proc/self/fd/{}/{}", folder.number(), name);
}

std::array<char, kLengthBytes> EncodeLength(uint32_t length) {
  std::array<char, kLengthBytes> bytes{};
  for (size_t i = 0; i < kLengthBytes; ++i) bytes[i] = static_cast<char>(length >> (8 * i));
  return bytes;
}

uint32_t DecodeLength(std::string_view bytes) {
  uint32_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    length |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return length;
}

}  // namespace

absl::StatusOr<LocalSocket> MessageSocket::Listen(const std::string& folder,
                                                  const std::string& name) {
  ASSIGN_OR_RETURN(const Descriptor open, OpenFolder(folder));
  return LocalSocket::Listen(PathIn(open, name), LocalSocket::Kind::kStream);
}

absl::StatusOr<MessageSocket> MessageSocket::Connect(const std::string& folder,
                                                     const std::string& name) {
  ASSIGN_OR_RETURN(const Descriptor open, OpenFolder(folder));
  ASSIGN_OR_RETURN(LocalSocket socket,
                   LocalSocket::Connect(PathIn(open, name), LocalSocket::Kind::kStream));
  return MessageSocket(std::move(socket));
}

absl::Status MessageSocket::Send(const google::protobuf::MessageLite& message) {
  const size_t size = message.ByteSizeLong();
  if (size > kMaxBytes) return InvalidArgument("the message has {} bytes, which is too long", size);
  const auto length = EncodeLength(static_cast<uint32_t>(size));
  std::string bytes(length.data(), length.size());
  message.AppendToString(&bytes);
  return socket_.SendAndWait(std::as_bytes(std::span(bytes)));
}

absl::Status MessageSocket::Fill(size_t size, const Alive& alive) {
  std::vector<Descriptor> none;
  while (bytes_.size() < size) {
    const size_t held = bytes_.size();
    bytes_.resize(size);
    const auto count =
        socket_.Receive(std::as_writable_bytes(std::span(bytes_).subspan(held)), none);
    bytes_.resize(held + count.value_or(0));
    RETURN_IF_ERROR(count.status());
    if (*count > 0) continue;
    if (alive && !alive()) return Cancelled("the caller no longer waits");
    socket_.Await(kLook);
  }
  return absl::OkStatus();
}

absl::Status MessageSocket::Receive(google::protobuf::MessageLite& message, const Alive& alive) {
  RETURN_IF_ERROR(Fill(kLengthBytes, alive));
  const size_t size = DecodeLength(bytes_);
  if (size > kMaxBytes)
    return DataLoss("the peer announced a message of {} bytes, which is too long", size);
  RETURN_IF_ERROR(Fill(kLengthBytes + size, alive));
  const bool is_parsed =
      message.ParseFromArray(bytes_.data() + kLengthBytes, static_cast<int>(size));
  bytes_.clear();
  return is_parsed ? absl::OkStatus() : DataLoss("{} bytes do not parse as a message", size);
}

}  // namespace tidemill::rpc
