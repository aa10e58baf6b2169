// UNIX sockets that carry packets, and descriptors along with them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace tidemill::preprocess {

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
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

// What was sent at once arrives at once.
struct Packet {
  std::string bytes = {};
  Descriptor descriptor = {};
};

// The longest packet that is received.
inline constexpr size_t kMaxPacketBytes = size_t{64} << 10;

// Non-blocking. Thread-compatible.
class LocalSocket {
 public:
  LocalSocket() = default;
  explicit LocalSocket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  // UNAVAILABLE when nobody listens there.
  static absl::StatusOr<LocalSocket> Connect(const std::string& path);
  // Takes the place of a socket that a dead process left; mode 0600. UNAVAILABLE when a process
  // listens there, or the path cannot be bound.
  static absl::StatusOr<LocalSocket> Listen(const std::string& path);
  // One that has connected; std::nullopt when there is none.
  std::optional<LocalSocket> Accept() const;

  // The uid of the process at the other end, from the kernel; -1 when it cannot be told.
  uid_t PeerUid() const;

  // UNAVAILABLE when the connection is broken, or the other end reads nothing.
  absl::Status Send(std::string_view bytes, int descriptor = -1) const;
  // std::nullopt: nothing is there now. UNAVAILABLE when the connection is broken or closed,
  // DATA_LOSS for a packet that is too long or comes with several descriptors.
  absl::StatusOr<std::optional<Packet>> Receive() const;
  // Waits until there is something to receive. False: not within the time.
  bool Await(std::chrono::milliseconds time) const;

  int number() const { return descriptor_.number(); }

 private:
  Descriptor descriptor_;
};

}  // namespace tidemill::preprocess
