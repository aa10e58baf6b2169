// UNIX sockets that carry descriptors.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace tidemill::storage::direct {

// A file descriptor that is closed at the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const { return number_; }

 private:
  int number_ = -1;
};

// A non-blocking stream socket. Thread-compatible.
class Socket {
 public:
  Socket() = default;
  explicit Socket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  // UNAVAILABLE when nobody listens there.
  static absl::StatusOr<Socket> Connect(const std::string& path);
  // Takes the place of a socket that a dead process left; mode 0600. UNAVAILABLE when a process
  // listens there, or the path cannot be bound.
  static absl::StatusOr<Socket> Listen(const std::string& path);

  // The uid of the process at the other end, from the kernel; -1 when it cannot be told.
  uid_t PeerUid() const;
  // Asks for a larger buffer; the kernel grants what it does.
  void SetSendBuffer(int bytes) const;

  // Sends as much as goes without waiting, with the descriptors if any byte goes. 0: nothing goes
  // now. UNAVAILABLE when the connection is broken.
  absl::StatusOr<size_t> Send(std::span<const std::byte> bytes,
                              std::span<const int> descriptors) const;
  // Receives what is there, up to the end of `bytes`; descriptors that come along are appended. 0:
  // nothing is there now. UNAVAILABLE when the connection is broken or closed.
  absl::StatusOr<size_t> Receive(std::span<std::byte> bytes,
                                 std::vector<Descriptor>& descriptors) const;

  // Waits until there is something to receive or, if asked for, room to send. False: nothing within
  // the time.
  bool Await(bool to_send, std::chrono::milliseconds time) const;

  int number() const { return descriptor_.number(); }

 private:
  Descriptor descriptor_;
};

}  // namespace tidemill::storage::direct
