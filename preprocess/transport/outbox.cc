#include "preprocess/transport/outbox.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tidemill::preprocess {

namespace {

// No batch has this number.
constexpr int64_t kNone = -1;

}  // namespace

Outbox::Outbox(std::vector<int32_t> lanes)
    : lanes_(std::move(lanes)), wanted_(lanes_.size(), kNone) {}

bool Outbox::IsWantedNow(const BatchMessage& message) const {
  for (size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i] == message.lane && wanted_[i] == message.number) return true;
  }
  return false;
}

bool Outbox::HasSome() const {
  if (messages_.empty()) return false;
  return credit_ > 0 ||
         std::any_of(messages_.begin(), messages_.end(),
                     [this](const BatchMessage& message)
                         ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return IsWantedNow(message); });
}

void Outbox::Put(BatchMessage message) {
  bool may_go = false;
  {
    MutexLock lock(mutex_);
    if (closed_.has_value()) return;
    bytes_ += BytesOf(message);
    may_go = credit_ > 0 || IsWantedNow(message);
    messages_.push_back(std::move(message));
    NoteTime();
  }
  if (may_go) CallListener();
}

void Outbox::Grant(int64_t bytes, std::span<const int64_t> wanted) {
  bool may_go = false;
  {
    MutexLock lock(mutex_);
    if (closed_.has_value()) return;
    // A credit beyond all that can exist is a credit of everything.
    credit_ += std::min(bytes, std::numeric_limits<int64_t>::max() - std::max<int64_t>(credit_, 0));
    NoteTime();
    std::copy_n(wanted.begin(), std::min(wanted.size(), wanted_.size()), wanted_.begin());
    may_go = HasSome();
  }
  if (may_go) CallListener();
}

std::optional<BatchMessage> Outbox::TakeAt(
    std::deque<BatchMessage>::iterator found) {  // NOLINT: an iterator is a value.
  BatchMessage message = std::move(*found);
  messages_.erase(found);
  const int64_t bytes = BytesOf(message);
  credit_ -= bytes;
  bytes_ -= bytes;
  NoteTime();
  return message;
}

std::optional<BatchMessage> Outbox::TakeWanted() {
  MutexLock lock(mutex_);
  for (auto i = messages_.begin(); i != messages_.end(); ++i) {
    if (IsWantedNow(*i)) return TakeAt(i);
  }
  return std::nullopt;
}

std::optional<BatchMessage> Outbox::Take() {
  if (std::optional<BatchMessage> wanted = TakeWanted(); wanted.has_value()) return wanted;
  MutexLock lock(mutex_);
  if (messages_.empty() || credit_ <= 0) return std::nullopt;
  return TakeAt(messages_.begin());
}

bool Outbox::IsWanted(const BatchMessage& message) const {
  MutexLock lock(mutex_);
  return IsWantedNow(message);
}

void Outbox::Listen(std::function<void()> ready) {
  MutexLock lock(mutex_);
  ready_ = std::move(ready);
  while (num_calls_ > 0) calls_ended_.wait(mutex_);
}

void Outbox::CallListener() {
  std::function<void()> ready;
  {
    MutexLock lock(mutex_);
    if (ready_ == nullptr) return;
    ready = ready_;
    ++num_calls_;
  }
  ready();
  MutexLock lock(mutex_);
  if (--num_calls_ == 0) calls_ended_.notify_all();
}

void Outbox::Close(absl::Status why) {
  std::deque<BatchMessage> dropped;  // Freed without the lock.
  {
    MutexLock lock(mutex_);
    if (closed_.has_value()) return;
    closed_ = std::move(why);
    dropped.swap(messages_);
    bytes_ = 0;
    NoteTime();
  }
  CallListener();
}

void Outbox::NoteTime() {
  const bool is_busy = !messages_.empty() && credit_ > 0;
  if (is_busy == busy_since_.has_value()) return;
  const Clock::time_point now = Clock::now();
  if (is_busy) {
    busy_since_ = now;
  } else {
    busy_ += now - *busy_since_;
    busy_since_.reset();
  }
}

Outbox::LinkTime Outbox::link_time() const {
  MutexLock lock(mutex_);
  const Clock::time_point now = Clock::now();
  const Clock::duration busy = busy_since_ ? busy_ + (now - *busy_since_) : busy_;
  return {.busy_ns = std::chrono::nanoseconds(busy).count(),
          .total_ns = std::chrono::nanoseconds(now - made_).count()};
}

std::optional<absl::Status> Outbox::closed() const {
  MutexLock lock(mutex_);
  return closed_;
}

int64_t Outbox::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace tidemill::preprocess
