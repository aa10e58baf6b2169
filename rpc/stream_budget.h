// Limits how many streams a service answers at once, and how much memory they hold.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "grpcpp/server_context.h"

#include "base/mutex.h"
#include "base/status.h"
#include "base/time.h"
#include "config/config.h"
#include "rpc/grpc_status.h"

namespace tidemill::rpc {

// The limits of a service, in the `cluster` section of the system configuration.
struct StreamLimits {
  int max_streams = 1024;
  int max_streams_per_caller = 512;
  int max_streams_per_method = 256;
  config::ByteSize memory{int64_t{256} << 20};
  Duration longest_silence{10'000'000};

  void Fields(auto&& field) {
    field("max_streams", max_streams,
          "Streams that a service answers at the same time. It refuses more.",
          {.min = 4, .max = 1'000'000});
    field("max_streams_per_caller", max_streams_per_caller,
          "The same for one host. All processes on the service's UNIX socket count as one host.",
          {.min = 4, .max = 1'000'000});
    field("max_streams_per_method", max_streams_per_method,
          "The same for one method whose streams hold a thread each: lists, watches and uploads.",
          {.min = 4, .max = 1'000'000});
    field("memory", memory,
          "Bytes that the streams of a service may hold: requests, and data that was read and that "
          "the reader has not taken yet. One host gets half of it. Messages shrink while it runs "
          "out.",
          {.min = 4'194'304});
    field(
        "longest_silence", longest_silence,
        "How long a caller may keep a stream that holds a thread waiting, for its next message or "
        "for room, while the service has no place for another stream. The stream that waits "
        "longest then ends, and its place is given away.");
  }
};

class StreamBudget;

// The place of one stream. The destructor returns it with all its bytes. Thread-compatible; the
// budget itself is thread-safe.
class StreamPermit {
  struct Place;

 public:
  StreamPermit(StreamPermit&& other) noexcept;
  StreamPermit& operator=(StreamPermit&&) = delete;
  ~StreamPermit();

  // While it exists, the stream waits for its caller. The permit must outlive it.
  class Waiting {
   public:
    explicit Waiting(StreamPermit& permit);
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting();

   private:
    StreamPermit& permit_;
  };

  // Reads or writes a message of a stream that holds a thread. Another stream may get the place of
  // one that is kept waiting for longer than longest_silence; then it returns false.
  template <typename Stream, typename Message>
  bool Read(Stream& stream, Message* message) {
    const Waiting waiting(*this);
    return stream.Read(message);
  }
  template <typename Stream, typename Message>
  bool Write(Stream& stream, const Message& message) {
    const Waiting waiting(*this);
    return stream.Write(message);
  }

  // Sets the bytes that the stream holds from now on. RESOURCE_EXHAUSTED when that exceeds the
  // budget; the stream must then drop its last message. Holding less, or up to kSmallBytes more, is
  // never refused, so that a full budget slows streams down and stops none. CANCELLED when the
  // place was given away.
  absl::Status Hold(int64_t num_bytes);
  // Sets the bytes of the request once it is read. A request of a few KiB is never refused.
  absl::Status HoldRequest(int64_t num_bytes);
  // Returns the size to keep to in the next message. It shrinks as the budget is used up.
  int64_t MessageBytes() const;
  // Whether messages may be made before the reader waits for them.
  bool MayWorkAhead() const;

  static constexpr int64_t kSmallBytes = int64_t{256} << 10;

 private:
  friend class StreamBudget;
  StreamPermit(StreamBudget& budget, std::unique_ptr<Place> place);
  absl::Status Change(int64_t num_bytes, int64_t always_fits);

  StreamBudget* budget_;
  std::unique_ptr<Place> place_;  // nullptr when moved from.
};

// Shared by all streams of a service. Thread-safe. Must outlive its permits.
class StreamBudget {
 public:
  explicit StreamBudget(const StreamLimits& limits) : limits_(limits) {}

  // Admits a stream of a peer, as gRPC names it, with a request of `request_bytes`.
  // RESOURCE_EXHAUSTED, with the limit and its setting, when there are too many streams or they are
  // too large.
  absl::StatusOr<StreamPermit> Admit(std::string_view peer, int64_t request_bytes)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The same for a stream whose handler holds a thread until its end, as the generated ones do.
  // `method` is the method's name. There may be max_streams_per_method streams of one method, or
  // `most` if that is less; pass `most` when a stream costs more than a thread. `cancel` ends the
  // wait of the stream for its caller when its place is given away; it must not call this object.
  absl::StatusOr<StreamPermit> AdmitHandler(std::string_view peer, const std::string& method,
                                            int most = std::numeric_limits<int>::max(),
                                            std::function<void()> cancel = nullptr)
      ABSL_LOCKS_EXCLUDED(mutex_);

  int num_streams() const ABSL_LOCKS_EXCLUDED(mutex_);
  int64_t num_bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  friend class StreamPermit;
  struct Caller {
    int num_streams = 0;
    int64_t num_bytes = 0;
  };

  // `method` is empty for a stream that holds no thread.
  struct Asked {
    std::string caller;
    std::string method = {};
    int most = 0;
    std::function<void()> cancel = {};
    int64_t request_bytes = 0;
  };
  absl::StatusOr<StreamPermit> AdmitOrRefuse(Asked asked) ABSL_LOCKS_EXCLUDED(mutex_);
  // Updates the process's metrics.
  void Show() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckPlace(const Asked& asked) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckMethod(const Asked& asked) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Refuses more than `always_fits` beyond the available room.
  absl::Status Change(StreamPermit::Place& place, int64_t num_bytes, int64_t always_fits)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void SetWaiting(StreamPermit::Place& place, bool waits) ABSL_LOCKS_EXCLUDED(mutex_);
  void Leave(StreamPermit::Place& place) ABSL_LOCKS_EXCLUDED(mutex_);
  void LeaveLocked(StreamPermit::Place& place) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The streams whose end makes room.
  struct Blockers {
    const std::string* method = nullptr;  // nullptr: of any method.
    const std::string* caller = nullptr;  // nullptr: of any caller.
    bool holds_bytes = false;
  };
  Blockers BlockersOf(const Asked& asked) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Gives away the place of the one of them that waits longest for its caller. Returns false when
  // none has waited for long enough.
  bool Preempt(const Blockers& sought) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the bytes that a caller may still take.
  int64_t RoomOf(const std::string& caller) const ABSL_LOCKS_EXCLUDED(mutex_);
  int64_t RoomOfLocked(const std::string& caller) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const StreamLimits limits_;
  mutable Mutex mutex_;
  int num_streams_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Caller> callers_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, int> methods_
      ABSL_GUARDED_BY(mutex_);  // The number of streams of each method.
  // The streams that wait for their callers.
  std::set<StreamPermit::Place*> waiting_ ABSL_GUARDED_BY(mutex_);
};

// Runs the handler of a stream that holds a thread: `body` gets the stream's place, and its status
// is the stream's. When the stream is refused, returns the refusal. For `most`, see AdmitHandler().
template <typename Body>
grpc::Status WithPlace(StreamBudget& budget, const grpc::ServerContext& context,
                       const std::string& method, const Body& body,
                       int most = std::numeric_limits<int>::max()) {
  auto permit =
      budget.AdmitHandler(context.peer(), method, most, [&context] { context.TryCancel(); });
  if (!permit.ok()) return ToGrpc(permit.status());
  return ToGrpc(body(*permit));
}

}  // namespace tidemill::rpc
