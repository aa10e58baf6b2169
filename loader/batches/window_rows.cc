#include "loader/batches/window_rows.h"

#include <algorithm>

#include "batch/slice.h"

namespace tidemill::loader {

int64_t WindowRows::Bytes() const {
  int64_t bytes = 0;
  for (const batch::Batch& batch : batches) bytes += batch::BytesOf(batch);
  for (const Hole& hole : holes) bytes += static_cast<int64_t>(sizeof(Hole) + hole.reason.size());
  return bytes;
}

absl::StatusOr<std::shared_ptr<const WindowRows>> WindowCache::Get(int64_t first_batch,
                                                                   const Make& make) {
  {
    MutexLock lock(mutex_);
    while (true) {
      const auto [it, is_new] = entries_.try_emplace(first_batch);
      if (is_new) break;
      if (it->second.rows != nullptr) {
        Touch(first_batch);
        return it->second.rows;
      }
      changed_.wait(mutex_);
    }
  }
  absl::StatusOr<WindowRows> made = make();
  MutexLock lock(mutex_);
  changed_.notify_all();
  if (!made.ok()) {
    entries_.erase(first_batch);
    return made.status();
  }
  auto rows = std::make_shared<const WindowRows>(*std::move(made));
  Keep(first_batch, rows);
  return rows;
}

void WindowCache::Keep(int64_t first_batch, const Window& rows) {
  const int64_t size = rows->Bytes();
  bytes_ += size;
  entries_[first_batch] = {.rows = rows, .bytes = size};
  used_.push_back(first_batch);
  while (bytes_ > budget_ && used_.size() > 1) {
    const auto oldest = entries_.find(used_.front());
    bytes_ -= oldest->second.bytes;
    entries_.erase(oldest);
    used_.pop_front();
  }
}

void WindowCache::Touch(int64_t first_batch) {
  const auto at = std::ranges::find(used_, first_batch);
  used_.splice(used_.end(), used_, at);
}

}  // namespace tidemill::loader
