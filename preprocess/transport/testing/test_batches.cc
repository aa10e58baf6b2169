#include "preprocess/transport/testing/test_batches.h"

#include <chrono>
#include <filesystem>
#include <numeric>
#include <utility>

#include "fmt/format.h"

#include "base/numbers/random.h"
#include "batch/wire.h"

namespace tidemill::preprocess::testing {

namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::milliseconds kLook{2};

BatchMessage Make(int32_t lane, int64_t number, int64_t bytes, uint64_t distinct) {
  const int64_t num_rows = bytes / 16 + 1;
  std::vector<int64_t> keys(static_cast<size_t>(num_rows));
  std::vector<int64_t> values(static_cast<size_t>(num_rows));
  uint64_t state = static_cast<uint64_t>(number) * 1000 + static_cast<uint64_t>(lane);
  for (size_t i = 0; i < keys.size(); ++i) {
    state = MixBits(state + 1);
    keys[i] = static_cast<int64_t>(distinct == 0 ? state : state % distinct);
    values[i] = static_cast<int64_t>(distinct == 0 ? ~state * 31 : state % distinct);
  }
  BatchMessage message{.lane = lane, .number = number, .rows = batch::Batch(num_rows)};
  (void)message.rows.Set(batch::MakeColumn<int64_t>("key", keys));
  (void)message.rows.Set(batch::MakeColumn<int64_t>("input", values));
  return message;
}

}  // namespace

BatchMessage MakeMessage(int32_t lane, int64_t number, int64_t bytes, int32_t attempt) {
  BatchMessage message = Make(lane, number, bytes, 0);
  message.attempt = attempt;
  return message;
}

BatchMessage MakeCompressible(int32_t lane, int64_t number, int64_t bytes) {
  return Make(lane, number, bytes, 3);
}

BatchMessage MakeEmpty(int32_t lane, int64_t number, std::string reason) {
  return {.lane = lane, .number = number, .num_skipped = 8, .reason = std::move(reason)};
}

std::string TextOf(const BatchMessage& message) {
  return fmt::format("{} {} {} {} '{}' {}", message.lane, message.number, message.attempt,
                     message.num_skipped, message.reason,
                     message.rows.columns().empty() ? "" : batch::Encode(message.rows));
}

absl::StatusOr<std::shared_ptr<Outbox>> TestOutboxes::Open(
    const v1::ReadBatchesRequest::Open& request, const rpc::JobScope&) {
  auto outbox = std::make_shared<Outbox>(
      std::vector<int32_t>(request.lanes().begin(), request.lanes().end()));
  MutexLock lock(mutex_);
  if (!refusal_.ok()) return refusal_;
  if (fill_ != nullptr) fill_(*outbox);
  outboxes_.push_back(outbox);
  requests_.push_back(request);
  changed_.notify_all();
  return outbox;
}

void TestOutboxes::Refuse(absl::Status why) {
  MutexLock lock(mutex_);
  refusal_ = std::move(why);
}

void TestOutboxes::OnOpen(std::function<void(Outbox&)> fill) {
  MutexLock lock(mutex_);
  fill_ = std::move(fill);
}

std::shared_ptr<Outbox> TestOutboxes::Await(size_t index) {
  MutexLock lock(mutex_);
  while (outboxes_.size() <= index) changed_.wait(mutex_);
  return outboxes_[index];
}

v1::ReadBatchesRequest::Open TestOutboxes::RequestOf(size_t index) const {
  MutexLock lock(mutex_);
  return requests_.at(index);
}

absl::Status AwaitClosed(const Outbox& outbox) {
  // A second listener would take the link's place.
  Mutex mutex;
  CondVar never;
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < give_up) {
    if (const auto closed = outbox.closed(); closed.has_value()) return *closed;
    MutexLock lock(mutex);
    never.wait_for(mutex, kLook);
  }
  return DeadlineExceeded("the outbox stays open");
}

LinkHandler Received::Handler() {
  return {.batch =
              [this](BatchMessage message) {
                MutexLock lock(mutex_);
                if (end_.has_value()) ++num_calls_after_end_;
                messages_.push_back(std::move(message));
                ++count_;
                changed_.notify_all();
              },
          .ended =
              [this](absl::Status status) {
                MutexLock lock(mutex_);
                if (end_.has_value()) ++num_calls_after_end_;
                ++num_ends_;
                end_ = std::move(status);
                changed_.notify_all();
              }};
}

void Received::AwaitCount(size_t count) {
  MutexLock lock(mutex_);
  while (count_ < count && !end_.has_value()) changed_.wait(mutex_);
}

absl::Status Received::AwaitEnd() {
  MutexLock lock(mutex_);
  while (!end_.has_value()) changed_.wait(mutex_);
  return *end_;
}

size_t Received::count() const {
  MutexLock lock(mutex_);
  return count_;
}

std::vector<BatchMessage> Received::Take() {
  MutexLock lock(mutex_);
  return std::exchange(messages_, {});
}

int Received::num_ends() const {
  MutexLock lock(mutex_);
  return num_ends_;
}

int Received::num_calls_after_end() const {
  MutexLock lock(mutex_);
  return num_calls_after_end_;
}

int NumOpenDescriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

}  // namespace tidemill::preprocess::testing
