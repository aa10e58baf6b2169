#include "storage/read/block_payloads.h"

#include <algorithm>
#include <span>

#include "storage/formats/format.h"
#include "storage/gather/block_pool.h"
#include "storage/gather/gather.h"
#include "storage/read/record_gatherer.h"

namespace tidemill::storage {

namespace {

// A block may span as many files as it has rows; a process has fewer descriptors.
constexpr size_t kMaxHeldFiles = 256;

// The files of a block, numbered as they come up. Holds open what it gathers from mappings; other
// files are opened when they are read, one after another.
class BlockFiles {
 public:
  BlockFiles(const DatasetIndex& index, OpenFiles& files)
      : index_(index),
        files_(files),
        one_file_a_sample_(index.spec().format->Unit() == SampleUnit::kWholeFile) {}

  void Number(std::span<const FileId> of_rows) {
    numbers_.resize(of_rows.size());
    for (size_t row = 0; row < of_rows.size(); ++row) {
      // Neighbours are mostly in one file.
      numbers_[row] =
          row > 0 && of_rows[row] == of_rows[row - 1] ? numbers_[row - 1] : NumberOf(of_rows[row]);
    }
  }

  std::span<const uint32_t> numbers() const { return numbers_; }
  std::span<const MappedFile* const> mappings() const { return mappings_; }

  // Reads records of one file through the file system.
  absl::Status Read(uint32_t number, PayloadCut cut, std::span<WantedRecord> wanted) {
    const std::string* const path = index_.PathOf(ids_[number]);
    if (path == nullptr) return NotFound("its file is unknown");
    std::shared_ptr<const DataFile> file = held_[number];
    if (file == nullptr) {
      ASSIGN_OR_RETURN(file, files_.Get(*path));
      // The reason why a remote file fails is known only here.
      if (Prepare(file->file, wanted).ok()) GatherRecords(file->file, cut, wanted);
      const auto is_ok = [](const WantedRecord& record) { return record.ok; };
      if (std::all_of(wanted.begin(), wanted.end(), is_ok)) return absl::OkStatus();
    }
    // Another file may have replaced this one since it was opened, or it has grown.
    ASSIGN_OR_RETURN(const std::shared_ptr<const DataFile> fresh, files_.GetFresh(*path, file));
    RETURN_IF_ERROR(Prepare(fresh->file, wanted));
    GatherRecords(fresh->file, cut, wanted);
    return absl::OkStatus();
  }

 private:
  static absl::Status Prepare(const OpenFile& file, std::span<const WantedRecord> wanted) {
    if (!file.is_remote()) return absl::OkStatus();
    std::vector<ByteRange> ranges;
    for (const WantedRecord& record : wanted) {
      if (!record.ok) ranges.push_back({.from = record.byte_from, .to = record.byte_to});
    }
    return file.Prepare(ranges);
  }

  uint32_t NumberOf(FileId id) {
    const auto [found, is_new] = number_of_.try_emplace(id, static_cast<uint32_t>(ids_.size()));
    if (is_new) {
      ids_.push_back(id);
      held_.push_back(Mapped(id));
      mappings_.push_back(held_.back() == nullptr ? nullptr : held_.back()->mapping.get());
    }
    return found->second;
  }

  // The file, if it is worth its descriptor; what cannot be opened shows when it is read.
  std::shared_ptr<const DataFile> Mapped(FileId id) {
    if (one_file_a_sample_ || num_held_ == kMaxHeldFiles) return nullptr;
    const std::string* const path = index_.PathOf(id);
    if (path == nullptr) return nullptr;
    absl::StatusOr<std::shared_ptr<const DataFile>> file = files_.Get(*path);
    if (!file.ok() || (*file)->mapping == nullptr) return nullptr;
    ++num_held_;
    return *std::move(file);
  }

  const DatasetIndex& index_;
  OpenFiles& files_;
  const bool one_file_a_sample_;
  absl::flat_hash_map<FileId, uint32_t> number_of_;
  std::vector<FileId> ids_;
  std::vector<std::shared_ptr<const DataFile>> held_;  // nullptr: opened when it is read.
  size_t num_held_ = 0;
  std::vector<const MappedFile*> mappings_;
  std::vector<uint32_t> numbers_;
};

// Reads rows that could not be gathered from mappings, file by file, and tells which of them are
// lost.
class CopyingRead {
 public:
  CopyingRead(const SampleRows& rows, const Extents& extents, BlockFiles& files,
              BlockPayloads& payloads)
      : rows_(rows), extents_(extents), files_(files), payloads_(payloads) {}

  void Read(std::vector<uint32_t> unread) {
    const std::span<const uint32_t> numbers = files_.numbers();
    std::stable_sort(unread.begin(), unread.end(),
                     [&](uint32_t a, uint32_t b) { return numbers[a] < numbers[b]; });
    for (size_t from = 0, to = 0; from < unread.size(); from = to) {
      while (to < unread.size() && numbers[unread[to]] == numbers[unread[from]]) ++to;
      ReadFile(std::span(unread).subspan(from, to - from));
    }
    std::sort(payloads_.lost.begin(), payloads_.lost.end());
  }

 private:
  void ReadFile(std::span<const uint32_t> in_file) {
    const std::span<const int64_t> offsets = payloads_.offsets.As<int64_t>();
    std::vector<WantedRecord> wanted;
    for (const uint32_t row : in_file) {
      wanted.push_back({.byte_from = rows_.byte_from[row],
                        .byte_to = rows_.byte_from[row] + rows_.size[row],
                        .hash = rows_.hash[row],
                        .into = payloads_.bytes.mutable_data() + offsets[row],
                        .tag = row});
    }
    const absl::Status status =
        files_.Read(files_.numbers()[in_file.front()], extents_.cut, wanted);
    for (const WantedRecord& record : wanted) {
      if (record.ok) continue;
      payloads_.lost.emplace_back(
          static_cast<uint32_t>(record.tag),
          status.ok() ? "is no longer in its file as it was ingested"
                      : fmt::format("cannot be read: {}", std::string(status.message())));
    }
  }

  const SampleRows& rows_;
  const Extents& extents_;
  BlockFiles& files_;
  BlockPayloads& payloads_;
};

}  // namespace

BlockPayloads ReadPayloads(const DatasetIndex& index, OpenFiles& files, const SampleRows& rows,
                           int64_t record_bytes) {
  BlockFiles in_block(index, files);
  in_block.Number(rows.file);
  Extents extents{.files = in_block.mappings(),
                  .file = in_block.numbers(),
                  .byte_from = rows.byte_from,
                  .record_bytes = record_bytes,
                  .hash = rows.hash,
                  .cut = CutOf(index.spec())};
  if (record_bytes == 0) extents.size = rows.size;

  BlockPayloads payloads;
  payloads.offsets = TakeBlock((rows.num_rows() + 1) * sizeof(int64_t));
  const std::span<int64_t> offsets = payloads.offsets.MutableAs<int64_t>();
  payloads.bytes = TakeBlock(static_cast<size_t>(PayloadOffsets(extents, offsets)));
  std::vector<uint32_t> unread;
  PrefetchPages(extents);
  Gather(extents, offsets, payloads.bytes.mutable_data(), unread);
  CopyingRead(rows, extents, in_block, payloads).Read(std::move(unread));
  return payloads;
}

}  // namespace tidemill::storage
