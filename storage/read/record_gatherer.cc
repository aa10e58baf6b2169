#include "storage/read/record_gatherer.h"

#include <sys/uio.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tidemill::storage {

namespace {

// Records closer than this are read with one call, the bytes between them dropped.
constexpr int64_t kMaxGap = 1024;
constexpr size_t kMaxPieces = 512;  // Half of Linux's IOV_MAX.

// Pieces of memory that consecutive bytes of a file go to.
class Scatter {
 public:
  void Start(int64_t offset) {
    pieces_.clear();
    offset_ = offset;
    size_ = 0;
  }
  void Add(std::byte* into, int64_t size) {
    if (size == 0) return;
    pieces_.push_back({into, static_cast<size_t>(size)});
    size_ += size;
  }
  bool HasRoom() const { return pieces_.size() + 4 <= kMaxPieces; }
  bool empty() const { return pieces_.empty(); }

  // Reads as much as there is; short reads show in the records' hashes.
  void Read(const OpenFile& file) {
    if (empty()) return;
    const ssize_t got = file.is_remote() ? 0
                                         : preadv(file.descriptor(), pieces_.data(),
                                                  static_cast<int>(pieces_.size()), offset_);
    if (got < 0 || got == size_) return;
    // A signal or a read beyond the kernel's limit: continue piece by piece.
    int64_t before = 0;
    for (const iovec& piece : pieces_) {
      const auto piece_size = static_cast<int64_t>(piece.iov_len);
      if (before + piece_size > got) {
        const absl::StatusOr<size_t> rest =
            file.ReadAt(offset_ + before, static_cast<char*>(piece.iov_base), piece.iov_len);
        if (!rest.ok() || *rest < piece.iov_len) return;
      }
      before += piece_size;
    }
  }

 private:
  std::vector<iovec> pieces_;
  int64_t offset_ = 0;
  int64_t size_ = 0;
};

class Gatherer {
 public:
  Gatherer(const OpenFile& file, PayloadCut cut) : file_(file), cut_(cut) {}

  void Add(WantedRecord& record) {
    const int64_t gap = record.byte_from - end_;
    if (pending_.empty() || gap < 0 || gap > kMaxGap || !scatter_.HasRoom() ||
        cut_bytes_.size() < static_cast<size_t>((num_cuts() + 1) * cut_.size)) {
      Flush();
      scatter_.Start(record.byte_from);
    } else {
      scatter_.Add(gap_bytes_.data(), gap);
    }
    const int64_t size = record.byte_to - record.byte_from;
    scatter_.Add(record.into, cut_.size > 0 ? cut_.offset : size);
    if (cut_.size > 0) {
      scatter_.Add(CutBytes(num_cuts()), cut_.size);
      scatter_.Add(record.into + cut_.offset, size - cut_.offset - cut_.size);
    }
    pending_.push_back(&record);
    end_ = record.byte_to;
  }

  void Flush() {
    scatter_.Read(file_);
    for (size_t i = 0; i < pending_.size(); ++i) {
      pending_[i]->ok = HashOf(*pending_[i], static_cast<int64_t>(i)) == pending_[i]->hash;
    }
    pending_.clear();
    scatter_.Start(0);
  }

 private:
  int64_t num_cuts() const { return static_cast<int64_t>(pending_.size()); }
  std::byte* CutBytes(int64_t index) {
    return cut_bytes_.data() + static_cast<size_t>(index * cut_.size);
  }

  uint64_t HashOf(const WantedRecord& record, int64_t index) {
    const auto size = static_cast<size_t>(record.byte_to - record.byte_from);
    if (cut_.size == 0) return XXH3_64bits(record.into, size);
    record_bytes_.assign(record.into, record.into + cut_.offset);
    const std::byte* cut = CutBytes(index);
    record_bytes_.insert(record_bytes_.end(), cut, cut + cut_.size);
    record_bytes_.insert(record_bytes_.end(), record.into + cut_.offset,
                         record.into + size - cut_.size);
    return XXH3_64bits(record_bytes_.data(), record_bytes_.size());
  }

  const OpenFile& file_;
  const PayloadCut cut_;
  Scatter scatter_;
  std::vector<WantedRecord*> pending_;
  int64_t end_ = 0;  // The end of the last record pending.
  std::array<std::byte, kMaxGap> gap_bytes_{};
  std::array<std::byte, kMaxPieces * 8> cut_bytes_{};
  std::vector<std::byte> record_bytes_;
};

}  // namespace

void GatherRecords(const OpenFile& file, PayloadCut cut, std::span<WantedRecord> records) {
  std::sort(records.begin(), records.end(),
            [](const WantedRecord& a, const WantedRecord& b) { return a.byte_from < b.byte_from; });
  Gatherer gatherer(file, cut);
  for (WantedRecord& record : records) {
    if (!record.ok) gatherer.Add(record);
  }
  gatherer.Flush();
}

}  // namespace tidemill::storage
