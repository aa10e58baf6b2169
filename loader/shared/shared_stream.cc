#include "loader/shared/shared_stream.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/logs/log.h"
#include "batch/batch.h"

// Two consumers and a window of four chunks. B has joined late, and makes 0 and 1 again, for
// itself:
//
//   chunk   0  1  2  3  4  5  6  7  8
//   A       -  -  -  -  -  -  -  *         made by A alone: 0 to 2; needed next: 7
//   B       -  -  *                        needed next: 2, which A made before B was there
//   stored           S  S  S  S            wait for B; 7 is not stored, because B needs 3 first
//
// When B has taken 3 to 6 it has come nearer to A, and so on until both take turns.

namespace tidemill::loader {
namespace {

using std::chrono::steady_clock;

// A process that dies rings no bell: how often one that waits looks without one.
constexpr std::chrono::milliseconds kLook{20};
// A maker that takes longer is not waited for: this factor times what a chunk takes here, and at
// least.
constexpr int64_t kPatienceFactor = 4;
constexpr int64_t kPatienceNanos = 1'000'000'000;

int64_t NanosSince(steady_clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now() - begin).count();
}

void Raise(std::atomic<int64_t>& most, int64_t value) {
  int64_t before = most;
  while (before < value && !most.compare_exchange_weak(before, value)) {
  }
}

int64_t RowsOf(const Rows& rows) { return rows.pieces.empty() ? 0 : rows.pieces[0].num_rows(); }

int64_t CountNeeders(const std::vector<StreamMember>& members, int64_t chunk) {
  return std::ranges::count_if(members, [&](const auto& one) { return one.Needs(chunk); });
}

bool MustStay(const std::vector<StreamMember>& members, int64_t chunk) {
  return std::ranges::any_of(
      members, [&](const StreamMember& one) { return one.is_strict && one.Needs(chunk); });
}

// The stored chunks that make room for another one; std::nullopt if that is worth less than they
// are.
std::optional<std::vector<int64_t>> ChooseDropped(std::vector<StoredChunk> stored,
                                                  const std::vector<StreamMember>& others,
                                                  const std::vector<StreamMember>& all,
                                                  const StoredChunk& added, int64_t budget) {
  int64_t total = added.bytes;
  for (const StoredChunk& chunk : stored) total += chunk.bytes;
  const auto worth = [&](int64_t chunk) { return std::pair(CountNeeders(all, chunk), -chunk); };
  const std::pair own(CountNeeders(others, added.number), -added.number);
  std::ranges::sort(stored, {}, [&](const StoredChunk& chunk) { return worth(chunk.number); });
  std::vector<int64_t> dropped;
  for (const StoredChunk& chunk : stored) {
    if (total <= budget) break;
    if (worth(chunk.number) > own || MustStay(all, chunk.number)) continue;
    dropped.push_back(chunk.number);
    total -= chunk.bytes;
  }
  if (total > budget) return std::nullopt;
  return dropped;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SharedStream>> SharedStream::Join(const Sharing& sharing,
                                                                 const std::string& name,
                                                                 int64_t first, int64_t end) {
  RemoveDeadStreams(sharing.folder);
  const std::string folder = files::Join(sharing.folder, name);
  ASSIGN_OR_RETURN(auto control, StreamControl::Join(folder, {.next = first, .end = end}));
  std::unique_ptr<SharedStream> stream(new SharedStream(sharing, folder, std::move(control)));
  stream->next_ = first;
  stream->NoteCaughtUp(first, /*has_taken=*/false);
  return stream;
}

void SharedStream::NoteFailure(const absl::Status& failure) {
  ++failed_;
  if (has_told_.exchange(true)) return;
  log::Warn("prepared samples are not shared, and made again",
            {{"folder", folder_}, {"error", failure.ToString()}});
}

void SharedStream::NoteCaughtUp(int64_t chunk, bool has_taken) {
  if (!sharing_.is_strict || control_->self().is_strict) return;
  const std::vector<StreamMember> others = control_->Others();
  const bool is_behind = std::ranges::any_of(
      others, [&](const StreamMember& one) { return one.next > chunk && one.next < one.end; });
  if (has_taken || !is_behind) control_->SetStrict(true);
}

void SharedStream::Advance(int64_t next) {
  int64_t before = next_;
  while (before < next && !next_.compare_exchange_weak(before, next)) {
  }
  if (before >= next) return;
  {
    MutexLock lock(mutex_);
    kept_.erase(kept_.begin(), kept_.lower_bound(next));
  }
  control_->SetNext(next_);
  control_->Ring();
  if (may_have_stored_ || IsShared()) DropPassed();
}

void SharedStream::DropPassed() {
  MutexLock lock(room_);
  std::vector<StreamMember> members = control_->Others();
  members.push_back(control_->self());
  // A strict one keeps what fits, for those that join late.
  if (std::ranges::any_of(members, &StreamMember::is_strict)) return;
  bool has_stored = members.size() > 1;
  for (const StoredChunk& chunk : chunks_.List()) {
    if (CountNeeders(members, chunk.number) == 0) {
      chunks_.Drop(chunk.number);
    } else {
      has_stored = true;
    }
  }
  if (!has_stored) chunks_.TrimFree(0);
  may_have_stored_ = has_stored;
}

SharedStream::SharedChunk SharedStream::Kept(int64_t chunk) const {
  MutexLock lock(mutex_);
  const auto found = kept_.find(chunk);
  return found == kept_.end() ? nullptr : found->second;
}

SharedStream::SharedChunk SharedStream::Keep(int64_t chunk, Rows rows) {
  auto kept = std::make_shared<const Rows>(std::move(rows));
  MutexLock lock(mutex_);
  if (chunk >= next_) kept_[chunk] = kept;
  return kept;
}

SharedStream::SharedChunk SharedStream::Take(int64_t chunk) {
  if (SharedChunk kept = Kept(chunk)) return kept;
  absl::StatusOr<Rows> rows = chunks_.Read(chunk);
  if (absl::IsNotFound(rows.status())) return nullptr;
  if (!rows.ok()) {
    NoteFailure(rows.status());
    chunks_.Remove(chunk);
    return nullptr;
  }
  taken_ += RowsOf(*rows);
  NoteCaughtUp(chunk, /*has_taken=*/true);
  return Keep(chunk, *std::move(rows));
}

absl::StatusOr<std::shared_ptr<const Rows>> SharedStream::Get(int64_t chunk, const Make& make,
                                                              const std::stop_token& stop) {
  may_have_stored_ = true;
  const auto begin = steady_clock::now();
  SharedChunk found;
  while (found == nullptr) {
    const uint32_t seen = control_->rung();
    found = Take(chunk);
    if (found != nullptr) break;
    if (auto claim = control_->TryClaim(chunk)) {
      // It may have been made in between.
      found = Take(chunk);
      if (found != nullptr) break;
      wait_ns_ += NanosSince(begin);
      auto made = MakeClaimed(chunk, make, stop);
      claim.reset();
      control_->Ring();
      return made;
    }
    if (stop.stop_requested()) return Cancelled("a chunk was not waited for");
    const int64_t patience = std::max(kPatienceNanos, kPatienceFactor * make_ns_);
    if (!sharing_.is_strict && NanosSince(begin) > patience) {
      wait_ns_ += NanosSince(begin);
      return MakeHere(chunk, make);
    }
    control_->Await(seen, kLook);
  }
  wait_ns_ += NanosSince(begin);
  return found;
}

absl::StatusOr<SharedStream::SharedChunk> SharedStream::MakeClaimed(int64_t chunk, const Make& make,
                                                                    const std::stop_token& stop) {
  NoteCaughtUp(chunk, /*has_taken=*/false);
  const auto begin = steady_clock::now();
  const absl::Status has_room = AwaitRoom(chunk, stop);
  wait_ns_ += NanosSince(begin);
  RETURN_IF_ERROR(has_room);
  absl::StatusOr<SharedChunk> made = MakeHere(chunk, make);
  if (made.ok()) Publish(chunk, **made);
  return made;
}

absl::StatusOr<SharedStream::SharedChunk> SharedStream::MakeHere(int64_t chunk, const Make& make) {
  const auto begin = steady_clock::now();
  ASSIGN_OR_RETURN(Rows rows, make());
  if (rows.pieces.size() > 1) {
    ASSIGN_OR_RETURN(batch::Batch joined, batch::Concatenate(rows.pieces));
    rows.pieces.clear();
    rows.pieces.push_back(std::move(joined));
  }
  Raise(make_ns_, NanosSince(begin));
  const bool was_made = std::ranges::any_of(
      control_->Others(), [&](const StreamMember& one) { return one.next > chunk; });
  (was_made ? again_ : made_) += RowsOf(rows);
  return Keep(chunk, std::move(rows));
}

void SharedStream::Publish(int64_t chunk, const Rows& rows) {
  const bool is_needed = CountNeeders(control_->Others(), chunk) > 0;
  const int64_t bytes = ChunkFolder::BytesOf(rows);
  Raise(chunk_bytes_, bytes);
  if ((is_needed || sharing_.is_strict) && MakeRoom(chunk, bytes)) {
    const absl::Status written = chunks_.Write(chunk, rows);
    if (!written.ok()) NoteFailure(written);
  }
}

bool SharedStream::MakeRoom(int64_t chunk, int64_t bytes) {
  MutexLock lock(room_);
  const std::vector<StreamMember> others = control_->Others();
  std::vector<StreamMember> all = others;
  all.push_back(control_->self());
  const auto dropped = ChooseDropped(chunks_.List(), others, all, {chunk, bytes}, sharing_.bytes);
  // AwaitRoom() has found that a strict one cannot wait, so that it stores the chunk nevertheless.
  if (!dropped) return sharing_.is_strict && MustStay(others, chunk);
  for (const int64_t number : *dropped) chunks_.Drop(number);
  int64_t stored = 0;
  for (const StoredChunk& one : chunks_.List()) stored += one.bytes;
  // The chunk takes the place of a free file.
  chunks_.TrimFree(sharing_.bytes - stored);
  return true;
}

absl::Status SharedStream::AwaitRoom(int64_t chunk, const std::stop_token& stop) {
  if (!sharing_.is_strict) return absl::OkStatus();
  while (!stop.stop_requested()) {
    const uint32_t seen = control_->rung();
    const std::vector<StreamMember> others = control_->Others();
    const bool is_first = std::ranges::none_of(others, [&](const StreamMember& one) {
      return one.is_strict && one.next < chunk && one.next < one.end;
    });
    if (is_first || !MustStay(others, chunk)) return absl::OkStatus();
    std::vector<StreamMember> all = others;
    all.push_back(control_->self());
    if (ChooseDropped(chunks_.List(), others, all, {chunk, chunk_bytes_}, sharing_.bytes)) {
      return absl::OkStatus();
    }
    control_->Await(seen, kLook);
  }
  return Cancelled("there was no room for a chunk");
}

SharedWork SharedStream::work() const {
  return {.made = made_, .taken = taken_, .again = again_, .failed = failed_, .wait_ns = wait_ns_};
}

}  // namespace tidemill::loader
