#include "storage/filesystems/object_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tidemill::storage {

namespace {

// Blocks that come with one request. A longer run is several, side by side.
constexpr size_t kBlocksPerRequest = 4;

}  // namespace

// Cuts what arrives of a run into blocks, each delivered once it is whole.
class ObjectBlocks::Assembly {
 public:
  Assembly(ObjectBlocks& blocks, const BlockedObject& object, const std::vector<Claim>& run)
      : blocks_(blocks), object_(object), run_(run) {}

  absl::Status Take(std::string_view bytes) {
    while (!bytes.empty()) {
      if (next_ == run_.size()) return Internal("more bytes than blocks");
      if (filled_ == 0) {
        block_ = batch::Buffer::Allocate(static_cast<size_t>(object_.SizeOf(run_[next_].block)));
      }
      const size_t size = std::min(bytes.size(), block_.size() - filled_);
      std::memcpy(block_.mutable_data() + filled_, bytes.data(), size);
      bytes.remove_prefix(size);
      filled_ += size;
      if (filled_ < block_.size()) continue;
      blocks_.FinishFetch(object_, run_[next_++], std::exchange(block_, {}));
      filled_ = 0;
    }
    return absl::OkStatus();
  }

  // Those that are not whole cannot be had.
  void End(const absl::Status& status) {
    for (; next_ < run_.size(); ++next_) {
      blocks_.FinishFetch(object_, run_[next_],
                          status.ok() ? Internal("a block is missing") : status);
    }
  }

 private:
  ObjectBlocks& blocks_;
  const BlockedObject& object_;
  const std::vector<Claim>& run_;
  size_t next_ = 0;
  batch::Buffer block_;
  size_t filled_ = 0;
};

ObjectBlocks::ObjectBlocks(S3Client& client, BlockCache& cache, int connections)
    : client_(client),
      cache_(cache),
      max_flights_(static_cast<size_t>(connections) * kBlocksPerRequest),
      fetchers_("s3", connections) {}

ObjectBlocks::~ObjectBlocks() { client_.Stop(); }

absl::StatusOr<batch::Buffer> ObjectBlocks::Load(const std::shared_ptr<const BlockedObject>& object,
                                                 int64_t block) {
  const BlockKey key = object->KeyOf(block);
  while (true) {
    if (std::optional<batch::Buffer> found = cache_.Find(key)) return *std::move(found);
    std::shared_ptr<Flight> flight;
    bool is_mine = false;
    {
      MutexLock lock(mutex_);
      if (const auto found = flights_.find(key); found != flights_.end()) {
        flight = found->second;
      } else if (!cache_.Contains(key)) {  // Otherwise it has arrived in the meantime.
        flight = flights_[key] = std::make_shared<Flight>();
        is_mine = true;
      }
    }
    if (!flight) continue;
    if (is_mine) Fetch(*object, {{block, flight}});
    return Await(*flight);
  }
}

bool ObjectBlocks::IsCachedOrFetching(const BlockedObject& object, int64_t block) {
  const BlockKey key = object.KeyOf(block);
  MutexLock lock(mutex_);
  return flights_.contains(key) || cache_.Contains(key);
}

size_t ObjectBlocks::Begin(const std::shared_ptr<const BlockedObject>& object,
                           std::span<const int64_t> blocks) {
  std::vector<std::vector<Claim>> runs;
  size_t num_done = 0;
  {
    MutexLock lock(mutex_);
    for (const int64_t block : blocks) {
      const BlockKey key = object->KeyOf(block);
      const bool is_there = cache_.Contains(key) || flights_.contains(key);
      if (!is_there && flights_.size() >= max_flights_) break;
      ++num_done;
      if (is_there) continue;
      const bool goes_on = !runs.empty() && runs.back().size() < kBlocksPerRequest &&
                           runs.back().back().block + 1 == block;
      if (!goes_on) runs.emplace_back();
      runs.back().push_back({block, flights_[key] = std::make_shared<Flight>()});
    }
  }
  for (std::vector<Claim>& run : runs) {
    fetchers_.Submit([this, object, claims = std::move(run)] { Fetch(*object, claims); });
  }
  return num_done;
}

void ObjectBlocks::Fetch(const BlockedObject& object, const std::vector<Claim>& run) {
  Assembly assembly(*this, object, run);
  const int64_t from = run.front().block * object.block_bytes;
  const int64_t to = run.back().block * object.block_bytes + object.SizeOf(run.back().block);
  assembly.End(client_.Get(object.state, from, to,
                           [&](std::string_view bytes) { return assembly.Take(bytes); }));
}

void ObjectBlocks::FinishFetch(const BlockedObject& object, const Claim& claim,
                               absl::StatusOr<batch::Buffer> result) {
  const BlockKey key = object.KeyOf(claim.block);
  if (result.ok()) cache_.Insert(key, *result);
  MutexLock lock(mutex_);
  claim.flight->done = true;
  claim.flight->status = result.status();
  if (result.ok()) claim.flight->bytes = *std::move(result);
  flights_.erase(key);
  landed_.notify_all();
}

absl::StatusOr<batch::Buffer> ObjectBlocks::Await(const Flight& flight) {
  MutexLock lock(mutex_);
  while (!flight.done) landed_.wait(mutex_);
  RETURN_IF_ERROR(flight.status);
  return flight.bytes;
}

}  // namespace tidemill::storage
