#include "storage/filesystems/s3_object.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tidemill::storage {

namespace {

// How far ahead of a reader blocks are fetched, and how many are asked for at a time.
constexpr int64_t kBlocksAhead = 8;
constexpr int64_t kStep = 4;

// The blocks that hold the ranges, ascending.
std::vector<int64_t> BlocksOf(std::span<const ByteRange> ranges, const BlockedObject& object) {
  std::vector<int64_t> blocks;
  for (const ByteRange& range : ranges) {
    const int64_t to = std::min(range.to, object.state.size_bytes);
    for (int64_t block = range.from / object.block_bytes; block * object.block_bytes < to;
         ++block) {
      if (blocks.empty() || blocks.back() != block) blocks.push_back(block);
    }
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

}  // namespace

FileIdentity IdentityOf(const ObjectState& state) {
  return {.inode = static_cast<int64_t>(XXH3_64bits(state.etag.data(), state.etag.size())),
          .size_bytes = state.size_bytes,
          .modified_nanos = state.modified_nanos,
          .is_versioned = true};
}

S3Object::S3Object(ObjectBlocks& blocks, std::shared_ptr<const BlockedObject> object)
    : blocks_(blocks),
      object_(std::move(object)),
      is_checked_(new std::atomic<bool>[static_cast<size_t>(object_->num_blocks())]()) {}

FileIdentity S3Object::Identity() const { return storage::IdentityOf(object_->state); }

absl::StatusOr<size_t> S3Object::ReadAt(int64_t offset, char* bytes, size_t size) const {
  const int64_t file_bytes = object_->state.size_bytes;
  if (offset < 0 || offset >= file_bytes || size == 0) return size_t{0};
  const int64_t end = std::min(file_bytes, offset + static_cast<int64_t>(size));
  const int64_t block_bytes = object_->block_bytes;
  ReadAhead(offset / block_bytes, (end - 1) / block_bytes);
  for (int64_t at = offset; at < end;) {
    const int64_t block = at / block_bytes;
    const int64_t to = std::min(end, (block + 1) * block_bytes);
    RETURN_IF_ERROR(ReadFromBlock(block, at - block * block_bytes, bytes + (at - offset),
                                  static_cast<size_t>(to - at)));
    at = to;
  }
  return static_cast<size_t>(end - offset);
}

absl::Status S3Object::ReadFromBlock(int64_t block, int64_t offset, char* bytes,
                                     size_t size) const {
  std::atomic<bool>& is_checked = is_checked_[static_cast<size_t>(block)];
  if (is_checked && blocks_.cache().ReadAt(object_->KeyOf(block), offset, bytes, size)) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const batch::Buffer whole, blocks_.Load(object_, block));
  if (static_cast<int64_t>(whole.size()) != object_->SizeOf(block)) {
    return Internal("block {} of {} has {} bytes", block, object_->state.path.ToString(),
                    whole.size());
  }
  std::memcpy(bytes, whole.data() + offset, size);
  is_checked = true;
  return absl::OkStatus();
}

void S3Object::ReadAhead(int64_t first, int64_t last) const {
  const int64_t before = last_block_.exchange(last);
  const bool is_sequence = before >= 0 && last > before && first <= before + 1;
  if (!is_sequence) return;
  const int64_t num_blocks = object_->num_blocks();
  const int64_t near = std::min(last + kBlocksAhead - kStep, num_blocks - 1);
  if (near == last || blocks_.IsCachedOrFetching(*object_, near)) return;
  std::vector<int64_t> ahead;
  for (int64_t block = first; block < num_blocks && block <= last + kBlocksAhead; ++block) {
    ahead.push_back(block);
  }
  blocks_.Begin(object_, ahead);
}

absl::Status S3Object::Prepare(std::span<const ByteRange> ranges) const {
  const std::vector<int64_t> blocks = BlocksOf(ranges, *object_);
  size_t begun = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    begun = std::max(begun, i);
    begun += blocks_.Begin(object_, std::span(blocks).subspan(begun));
    if (blocks_.cache().Contains(object_->KeyOf(blocks[i]))) continue;
    RETURN_IF_ERROR(blocks_.Load(object_, blocks[i]).status());
  }
  return absl::OkStatus();
}

}  // namespace tidemill::storage
