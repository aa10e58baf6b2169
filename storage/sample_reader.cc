#include "storage/sample_reader.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "storage/formats/format.h"
#include "storage/record_gatherer.h"
#include "storage/sample_columns.h"

namespace tidemill::storage {

namespace {

constexpr size_t kKeysPerBlock = 65'536;
// Leaves room for the other columns in a message of rpc::kMaxMessageBytes.
constexpr int64_t kMaxPayloadBytes = int64_t{15} << 20;
// A block is made again when the index has changed under it, but not for ever.
constexpr int kMaxAttempts = 3;

// A requested key of a block.
struct Entry {
  int64_t key = 0;
  SampleLocation location = {};
  FileId file = {};
  int64_t byte_from = 0;
  int64_t byte_to = 0;
  int64_t payload_from = 0;
  int64_t payload_size = 0;
  // Why it cannot be served; empty while it can.
  std::string problem = {};
  bool is_deleted = false;
};

Entry Locate(const DatasetIndex& index, PayloadCut cut, int64_t key) {
  Entry entry{.key = key};
  const std::optional<SampleLocation> location = index.Find(key);
  if (!location.has_value()) {
    entry.problem = "is unknown";
    return entry;
  }
  if (index.IsDeleted(key, index.tombstone_sequence())) {
    entry.problem = "was deleted";
    entry.is_deleted = true;
    return entry;
  }
  const SegmentColumns& columns = *location->segment->columns;
  entry.location = *location;
  entry.file = location->file();
  entry.byte_from = columns.byte_from[static_cast<size_t>(location->row)];
  entry.byte_to = columns.byte_to[static_cast<size_t>(location->row)];
  entry.payload_size = entry.byte_to - entry.byte_from - cut.size;
  if (entry.byte_from < 0 || entry.payload_size < cut.offset) {
    entry.problem = "has vanished from its file";
  } else if (entry.payload_size > kMaxPayloadBytes) {
    entry.problem = fmt::format("has {} bytes, too many for a message", entry.payload_size);
  }
  return entry;
}

// The entries for a run of keys: about `block_bytes` of payload.
std::vector<Entry> PlanBlock(const DatasetIndex& index, std::span<const int64_t> keys,
                             int64_t block_bytes) {
  const PayloadCut cut = CutOf(index.spec());
  std::vector<Entry> entries;
  int64_t payload_bytes = 0;
  for (const int64_t key : keys) {
    if (entries.size() == kKeysPerBlock || payload_bytes >= block_bytes) break;
    Entry entry = Locate(index, cut, key);
    if (entry.problem.empty()) {
      // A large sample starts a block of its own.
      if (payload_bytes > 0 && payload_bytes + entry.payload_size > 2 * block_bytes) break;
      entry.payload_from = payload_bytes;
      payload_bytes += entry.payload_size;
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

// Reads the payloads of entries that lie in one file.
class FileRead {
 public:
  FileRead(const DatasetIndex& index, OpenFiles& files, batch::Buffer& payload)
      : index_(index), files_(files), payload_(payload), cut_(CutOf(index.spec())) {}

  void Read(std::vector<Entry>& entries, std::span<const size_t> in_file) {
    std::vector<WantedRecord> wanted;
    for (const size_t i : in_file) {
      const Entry& entry = entries[i];
      const SegmentColumns& columns = *entry.location.segment->columns;
      const int64_t hash = columns.hash[static_cast<size_t>(entry.location.row)];
      wanted.push_back({.byte_from = entry.byte_from,
                        .byte_to = entry.byte_to,
                        .hash = static_cast<uint64_t>(hash),
                        .into = payload_.mutable_data() + entry.payload_from,
                        .tag = i});
    }
    const absl::Status status = Gather(entries[in_file.front()].file, wanted);
    for (const WantedRecord& record : wanted) {
      if (record.ok) continue;
      entries[record.tag].problem =
          status.ok() ? "is no longer in its file as it was ingested"
                      : fmt::format("cannot be read: {}", std::string(status.message()));
    }
  }

 private:
  absl::Status Gather(FileId id, std::span<WantedRecord> wanted) {
    const std::string* path = index_.PathOf(id);
    if (path == nullptr) return NotFound("its file is unknown");
    ASSIGN_OR_RETURN(const std::shared_ptr<const OpenFile> file, files_.Get(*path));
    // Of a remote file the reason of a failure is known only here.
    if (Prepare(*file, wanted).ok()) GatherRecords(*file, cut_, wanted);
    const auto is_ok = [](const WantedRecord& record) { return record.ok; };
    if (std::all_of(wanted.begin(), wanted.end(), is_ok)) return absl::OkStatus();
    // Another file may stand there since this one was opened.
    ASSIGN_OR_RETURN(const std::shared_ptr<const OpenFile> fresh, files_.GetFresh(*path, file));
    RETURN_IF_ERROR(Prepare(*fresh, wanted));
    GatherRecords(*fresh, cut_, wanted);
    return absl::OkStatus();
  }

  static absl::Status Prepare(const OpenFile& file, std::span<const WantedRecord> wanted) {
    if (!file.is_remote()) return absl::OkStatus();
    std::vector<ByteRange> ranges;
    for (const WantedRecord& record : wanted) {
      if (!record.ok) ranges.push_back({.from = record.byte_from, .to = record.byte_to});
    }
    return file.Prepare(ranges);
  }

  const DatasetIndex& index_;
  OpenFiles& files_;
  batch::Buffer& payload_;
  const PayloadCut cut_;
};

void ReadPayloads(const DatasetIndex& index, OpenFiles& files, std::vector<Entry>& entries,
                  batch::Buffer& payload) {
  std::vector<size_t> by_file;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].problem.empty()) by_file.push_back(i);
  }
  std::stable_sort(by_file.begin(), by_file.end(),
                   [&](size_t a, size_t b) { return entries[a].file < entries[b].file; });
  FileRead reader(index, files, payload);
  for (size_t from = 0, to = 0; from < by_file.size(); from = to) {
    while (to < by_file.size() && entries[by_file[to]].file == entries[by_file[from]].file) ++to;
    reader.Read(entries, std::span(by_file).subspan(from, to - from));
  }
}

// The readable entries as a batch.
absl::StatusOr<batch::Batch> MakeBatch(const std::vector<Entry>& entries, batch::Buffer payload) {
  SampleColumns columns;
  std::vector<std::string_view> payloads;
  size_t payload_bytes = 0;
  for (const Entry& entry : entries) {
    if (!entry.problem.empty()) continue;
    columns.Add(entry.location);
    payloads.push_back(payload.view().substr(static_cast<size_t>(entry.payload_from),
                                             static_cast<size_t>(entry.payload_size)));
    payload_bytes += payloads.back().size();
  }
  ASSIGN_OR_RETURN(batch::Batch batch, columns.Finish(/*with_labels=*/true));
  if (payload_bytes != payload.size()) {
    // Unreadable samples left holes.
    RETURN_IF_ERROR(batch.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, payloads)));
    return batch;
  }
  batch::Column column{.name = std::string(batch::kPayloadColumn),
                       .type = batch::DataType::kBinary};
  column.offsets = batch::Buffer::Allocate((payloads.size() + 1) * sizeof(int64_t));
  const std::span<int64_t> offsets = column.offsets.MutableAs<int64_t>();
  for (size_t row = 0; row < payloads.size(); ++row) {
    offsets[row + 1] = offsets[row] + static_cast<int64_t>(payloads[row].size());
  }
  column.data = std::move(payload);
  RETURN_IF_ERROR(batch.Set(std::move(column)));
  return batch;
}

// Whether a newer index might know better. What was deleted stays deleted.
bool MayBeFound(const std::vector<Entry>& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const Entry& entry) {
    return !entry.problem.empty() && !entry.is_deleted;
  });
}

}  // namespace

SampleReader::SampleReader(SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index,
                           OpenFiles& files, std::vector<int64_t> keys, int64_t block_bytes)
    : indexes_(indexes),
      index_(std::move(index)),
      files_(files),
      keys_(std::move(keys)),
      block_bytes_(block_bytes) {}

absl::StatusOr<std::optional<SampleBlock>> SampleReader::Next() {
  if (position_ == keys_.size()) return std::optional<SampleBlock>();
  ASSIGN_OR_RETURN(SampleBlock block, MakeBlock());
  position_ += static_cast<size_t>(block.batch.num_rows()) + block.missing.size();
  return std::optional<SampleBlock>(std::move(block));
}

absl::StatusOr<SampleBlock> SampleReader::MakeBlock() {
  for (int attempt = 1;; ++attempt) {
    std::vector<Entry> entries =
        PlanBlock(*index_, std::span(keys_).subspan(position_), block_bytes_);
    int64_t payload_bytes = 0;
    for (const Entry& entry : entries) {
      if (entry.problem.empty()) payload_bytes = entry.payload_from + entry.payload_size;
    }
    batch::Buffer payload = batch::Buffer::Allocate(static_cast<size_t>(payload_bytes));
    ReadPayloads(*index_, files_, entries, payload);
    if (attempt < kMaxAttempts && MayBeFound(entries)) {
      ASSIGN_OR_RETURN(std::shared_ptr<const DatasetIndex> newer,
                       indexes_.Refresh(index_->dataset()));
      if (newer != index_) {
        index_ = std::move(newer);
        continue;
      }
    }
    SampleBlock block;
    ASSIGN_OR_RETURN(block.batch, MakeBatch(entries, std::move(payload)));
    for (Entry& entry : entries) {
      if (!entry.problem.empty()) block.missing.push_back({entry.key, std::move(entry.problem)});
    }
    return block;
  }
}

}  // namespace tidemill::storage
