// UNIX sockets between processes of one host. They carry bytes and open descriptors.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"

namespace tidemill {

// One end of a connection, or a listening socket. It owns its descriptor and closes it in its
// destructor.
//
// A call never waits unless its name says so. A broken connection raises no SIGPIPE: the call
// returns UNAVAILABLE. Bytes that the other end of a stream sent before it died are still received.
//
// Thread-compatible. Several threads may call const functions at once; the kernel keeps each packet
// whole, but the bytes of a stream may mix.
class LocalSocket {
 public:
  enum class Kind {
    // Bytes in their order, without boundaries.
    kStream,
    // Packets: one call receives the bytes that one call sent. A packet has at least one byte.
    kPackets,
  };
  // The most descriptors in one message, a limit of Linux.
  static constexpr size_t kMaxDescriptors = 253;

  // Makes a socket without a connection: every call fails.
  LocalSocket() = default;
  // Owns a socket that is already connected.
  explicit LocalSocket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  // Connects to the socket at `path`. UNAVAILABLE when no process listens there. INVALID_ARGUMENT
  // for a path that is empty or too long (107 bytes).
  static absl::StatusOr<LocalSocket> Connect(const std::string& path, Kind kind);
  // Listens at `path`, where only this user may connect (mode 0600). Replaces a socket that a dead
  // process left, but no other file. The caller removes the file at the end. UNAVAILABLE when a
  // process listens there, or when the path cannot be bound.
  static absl::StatusOr<LocalSocket> Listen(const std::string& path, Kind kind);
  // Returns the two ends of a new connection. RESOURCE_EXHAUSTED when there are too many
  // descriptors.
  static absl::StatusOr<std::pair<LocalSocket, LocalSocket>> MakePair(Kind kind);

  // Returns the next connection to a listening socket, or std::nullopt when there is none now.
  std::optional<LocalSocket> Accept() const;

  // Returns the user of the process at the other end, as the kernel reports it; -1 when it is
  // unknown.
  uid_t PeerUid() const;
  // Asks for a larger buffer, in bytes. The kernel may grant less.
  void SetSendBuffer(int bytes) const;

  // Sends `bytes`, which must not be empty, and `descriptors` with the first of them. On a stream,
  // sends as much as there is room for; a packet is sent as a whole. Returns the number of bytes
  // sent. 0 means that there is no room now, and that no descriptor was sent. The caller keeps its
  // descriptors. UNAVAILABLE when the connection is broken. INVALID_ARGUMENT for more than
  // kMaxDescriptors.
  absl::StatusOr<size_t> Send(std::span<const std::byte> bytes,
                              std::span<const int> descriptors = {}) const;
  // Sends everything as Send() does. Waits for room as long as the other end lives.
  absl::Status SendAndWait(std::span<const std::byte> bytes,
                           std::span<const int> descriptors = {}) const;

  // Receives the available bytes, or the next packet, into `bytes`. Returns the number of bytes.
  // Appends the descriptors that came with the bytes; they are closed on exec. 0 means that nothing
  // is available now. UNAVAILABLE when the connection is broken or the other end has closed it.
  // DATA_LOSS when a packet is longer than `bytes`, or when this process may not open more
  // descriptors.
  absl::StatusOr<size_t> Receive(std::span<std::byte> bytes,
                                 std::vector<Descriptor>& descriptors) const;

  // Waits until there is something to receive or to accept, until the connection is broken or, with
  // `to_send`, until there is room to send. Returns false when none of this happened within `time`.
  bool Await(std::chrono::milliseconds time, bool to_send = false) const;

  // The number for poll() and epoll. It is negative without a connection.
  int number() const { return descriptor_.number(); }

 private:
  Descriptor descriptor_;
};

}  // namespace tidemill
