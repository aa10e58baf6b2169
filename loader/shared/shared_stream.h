// The rows of a training, in chunks that its consumers on this host prepare once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/mutex.h"
#include "base/status.h"
#include "loader/path/path_work.h"
#include "loader/shared/chunk_folder.h"
#include "loader/shared/sharing.h"
#include "loader/shared/stream_control.h"
#include "loader/training_set.h"

namespace tidemill::loader {

// A consumer of a stream of chunks, which are numbered through all epochs.
//
// A chunk that this consumer needs is taken if another one has made it. Otherwise it is made here,
// unless another one is making it: then this one waits. It is put into shared memory while others
// need it, within the budget. If there is no room, what the fewest consumers need is left out, and
// of that what is needed last: whoever finds a chunk missing makes it again. With
// Sharing::is_strict, the maker waits for room instead.
//
// Whatever fails in shared memory costs time: the chunk is made here. Thread-safe.
class SharedStream {
 public:
  // Makes all rows of a chunk.
  using Make = std::function<absl::StatusOr<Rows>()>;

  // Joins the stream with this name (a name of a file). It needs the chunks [first, end). Returns
  // the errors of StreamControl::Join().
  static absl::StatusOr<std::unique_ptr<SharedStream>> Join(const Sharing& sharing,
                                                            const std::string& name, int64_t first,
                                                            int64_t end);
  SharedStream(const SharedStream&) = delete;
  SharedStream& operator=(const SharedStream&) = delete;
  // Leaves. Rows that were given out stay.
  ~SharedStream() = default;

  // Whether chunks are shared now. A consumer that is alone makes its rows without chunks.
  bool IsShared() const { return sharing_.is_strict || !control_->IsAlone(); }

  // Says that chunks below `next` are not needed any more.
  void Advance(int64_t next) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the rows of a chunk, in at most one piece. Returns the errors of `make`; CANCELLED when
  // `stop` is requested while it waits.
  absl::StatusOr<std::shared_ptr<const Rows>> Get(int64_t chunk, const Make& make,
                                                  const std::stop_token& stop)
      ABSL_LOCKS_EXCLUDED(mutex_);

  SharedWork work() const;

 private:
  using SharedChunk = std::shared_ptr<const Rows>;

  SharedStream(const Sharing& sharing, std::string folder, std::unique_ptr<StreamControl> control)
      : sharing_(sharing),
        folder_(std::move(folder)),
        chunks_(folder_),
        control_(std::move(control)) {}

  SharedChunk Kept(int64_t chunk) const ABSL_LOCKS_EXCLUDED(mutex_);
  SharedChunk Keep(int64_t chunk, Rows rows) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns nullptr when no member has made the chunk, or it is gone, or damaged.
  SharedChunk Take(int64_t chunk) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<SharedChunk> MakeClaimed(int64_t chunk, const Make& make,
                                          const std::stop_token& stop);
  absl::StatusOr<SharedChunk> MakeHere(int64_t chunk, const Make& make);
  void Publish(int64_t chunk, const Rows& rows) ABSL_LOCKS_EXCLUDED(room_);
  // Makes room for a chunk that `needers` others need. Returns false if there is none.
  bool MakeRoom(int64_t chunk, int64_t bytes) ABSL_LOCKS_EXCLUDED(room_);
  // Waits until MakeRoom() will succeed, or the chunk is the first that another one needs.
  absl::Status AwaitRoom(int64_t chunk, const std::stop_token& stop);
  // Removes chunks that no member needs.
  void DropPassed() ABSL_LOCKS_EXCLUDED(room_);
  // Becomes one for whom chunks are kept, once it has caught up with the others.
  void NoteCaughtUp(int64_t chunk, bool has_taken);
  void NoteFailure(const absl::Status& failure);

  const Sharing sharing_;
  const std::string folder_;
  ChunkFolder chunks_;
  mutable Mutex mutex_;
  // Chunks that a thread of this process may need another part of.
  std::map<int64_t, SharedChunk> kept_ ABSL_GUARDED_BY(mutex_);
  // Held while the folder is listed and made room in.
  Mutex room_;
  std::atomic<int64_t> next_ = 0;
  std::atomic<bool> may_have_stored_ = false;
  std::atomic<int64_t> chunk_bytes_ = 0;  // The largest so far.
  std::atomic<int64_t> make_ns_ = 0;      // The slowest chunk made here so far.
  std::atomic<bool> has_told_ = false;
  std::atomic<int64_t> made_ = 0;
  std::atomic<int64_t> taken_ = 0;
  std::atomic<int64_t> again_ = 0;
  std::atomic<int64_t> failed_ = 0;
  std::atomic<int64_t> wait_ns_ = 0;
  const std::unique_ptr<StreamControl> control_;
};

}  // namespace tidemill::loader
