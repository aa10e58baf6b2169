// The control file of a shared stream: who its members are, how far they have come, and which
// chunks they are making. See docs/formats/shared_rows.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"

namespace tidemill::loader {

// The place of a member. It needs the chunks [next, end).
struct StreamMember {
  int64_t next = 0;
  int64_t end = 0;
  // Whether chunks must be kept for it.
  bool is_strict = false;

  bool Needs(int64_t chunk) const { return next <= chunk && chunk < end; }
};

// One member's view of the file, and its membership: from Join() until it is destroyed, or its
// process dies. Locks of the kernel say who is there, so that a dead member needs no cleaning up.
// Thread-safe.
class StreamControl {
 public:
  static constexpr int kMaxMembers = 64;

  // The right to make a chunk, until it is destroyed or the process dies.
  class Claim {
   public:
    explicit Claim(Descriptor lock) : lock_(std::move(lock)) {}

   private:
    Descriptor lock_;
  };

  // Joins the stream in `folder`, which is created if needed, as its parent is. RESOURCE_EXHAUSTED
  // when there is no memory or no place. PERMISSION_DENIED when the parent is not this user's own.
  static absl::StatusOr<std::unique_ptr<StreamControl>> Join(const std::string& folder,
                                                             const StreamMember& self);
  StreamControl(const StreamControl&) = delete;
  StreamControl& operator=(const StreamControl&) = delete;
  // Leaves. The last member removes the folder.
  ~StreamControl();

  // Returns the living members besides this one.
  std::vector<StreamMember> Others() const;
  bool IsAlone() const;
  StreamMember self() const;
  void SetNext(int64_t next);
  void SetStrict(bool is_strict);

  // Returns std::nullopt while another thread or process has the claim.
  std::optional<Claim> TryClaim(int64_t chunk) const;

  // Wakes all threads of all members that wait. Called when a chunk was made, or not, and when a
  // member has come further.
  void Ring();
  uint32_t rung() const;
  // Waits until the bell has rung since `seen`, but at most for `time`. Nothing rings for a process
  // that dies.
  void Await(uint32_t seen, std::chrono::milliseconds time);

 private:
  struct Page;
  StreamControl(std::string folder, Descriptor file, Page* page, int place)
      : folder_(std::move(folder)), file_(std::move(file)), page_(page), place_(place) {}
  bool IsAlive(int place) const;

  const std::string folder_;
  const Descriptor file_;
  Page* const page_;
  const int place_;
};

// Removes the streams in `folder` that no living process uses, and the folder if it is empty then.
void RemoveDeadStreams(const std::string& folder);

}  // namespace tidemill::loader
