#include "loader/batches/shared_rows.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"

#include "base/digest.h"
#include "base/logs/log.h"
#include "base/version.h"
#include "batch/slice.h"
#include "config/config.h"

// Chunks are made of positions of an epoch's order, whatever the size of batches is. A chunk of 16,
// and a consumer with batches of 10:
//
//   positions  0 ......... 10 ........ 20 ........ 30
//   batches    0           1           2
//   chunks     0 ................. 16 ................. 32
//
// Batch 1 has the rows of positions 10 to 15 of chunk 0 and 16 to 19 of chunk 1. Positions beyond
// the end of an epoch, which fill its last batch, are made by each consumer for itself.

namespace tidemill::loader {
namespace {

constexpr int64_t kLeastChunk = 32;
constexpr int64_t kMostChunk = 4096;
constexpr int64_t kBytesOfChunk = int64_t{2} << 20;
// Changes when the rows of a version, or the files of a stream, differ from those of another.
constexpr char kStreamVersion[] = "2";

int64_t RowBytes(const transform::Graph& graph) {
  int64_t row_bytes = 3 * sizeof(int64_t);  // Key, ordinal and target.
  for (const transform::ColumnSchema& input : graph.inputs()) {
    row_bytes += input.Width() * static_cast<int64_t>(batch::SizeOf(input.type));
  }
  return row_bytes;
}

// Takes texts and numbers, each with its name and length: no two lists have the same bytes.
class NameParts {
 public:
  void Add(std::string_view name, std::string_view value) {
    digest_.Add(fmt::format("{} {}\n", name, value.size()));
    digest_.Add(value);
  }
  void Add(std::string_view name, int64_t value) { Add(name, std::to_string(value)); }
  template <typename T>
  void AddAll(std::string_view name, const std::vector<T>& values) {
    Add(name, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  }
  std::string Finish() { return digest_.Finish(); }

 private:
  Sha256Stream digest_;
};

// Returns the rows [first, last) of the places `at` of a chunk. A sample that is missing has a
// place among `ordinals` and no row.
std::pair<int64_t, int64_t> FindRows(const batch::Batch& piece, std::span<const int64_t> ordinals,
                                     Positions at) {
  const auto have = piece.Find(batch::kOrdinalColumn)->Values<int64_t>();
  size_t row = 0;
  size_t first = 0;
  for (size_t place = 0; place < static_cast<size_t>(at.to); ++place) {
    if (place == static_cast<size_t>(at.from)) first = row;
    if (row < have.size() && have[row] == ordinals[place]) ++row;
  }
  return {static_cast<int64_t>(first), static_cast<int64_t>(row)};
}

}  // namespace

bool CanShare(const BatchParts& parts, const BatchPlan& plan) {
  return parts.sharing != nullptr && parts.sharing->bytes > 0 && parts.kept == nullptr &&
         !plan.buckets && plan.sources == nullptr && plan.num_slices == 1;
}

int64_t ChunkSize(const transform::Graph& graph) {
  const int64_t rows = std::clamp(kBytesOfChunk / RowBytes(graph), kLeastChunk, kMostChunk);
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(rows)));
}

std::string StreamName(const BatchParts& parts, const BatchPlan& plan) {
  NameParts name;
  name.Add("stream", kStreamVersion);
  name.Add("program", kVersion);
  name.Add("origin", parts.sharing->origin);
  name.AddAll("keys", parts.set->keys);
  name.AddAll("weights", parts.set->weights);
  name.Add("graph",
           parts.graph->Fingerprint(parts.fitted == nullptr ? "" : parts.fitted->digest()));
  name.Add("order", config::Print(plan.order));
  name.Add("seed", plan.shuffle.seed);
  name.Add("purpose", plan.shuffle.purpose);
  name.Add("trigger", plan.shuffle.trigger);
  name.Add("part", plan.part);
  name.Add("training", plan.training ? 1 : 0);
  name.Add("standardize_target", plan.standardize_target ? 1 : 0);
  if (plan.subset != nullptr) name.AddAll("subset", plan.subset->ordinals);
  if (plan.draw) {
    name.Add("draw", plan.draw->samples);
    name.Add("replacement", plan.draw->replacement ? 1 : 0);
  }
  return name.Finish();
}

SharedRows::SharedRows(const BatchParts& parts, const BatchOrdinals& ordinals, const RowMaker& rows)
    : parts_(parts),
      ordinals_(ordinals),
      rows_(rows),
      chunk_size_(ChunkSize(*parts.graph)),
      chunks_of_epoch_((ordinals.num_positions() + chunk_size_ - 1) / chunk_size_),
      progress_(ordinals.plan().first_batch, ChunkOf(ordinals.plan().first_batch),
                parts.sharing->is_in_order) {}

int64_t SharedRows::ChunkOf(int64_t number) const {
  const int64_t position = ordinals_.OfBatch(number % ordinals_.num_batches()).from;
  return ordinals_.EpochOf(number) * chunks_of_epoch_ + position / chunk_size_;
}

SharedStream* SharedRows::Joined() {
  MutexLock lock(mutex_);
  if (std::exchange(has_tried_, true)) return stream_.get();
  const BatchPlan& plan = ordinals_.plan();
  const int64_t end = ChunkOf(plan.epochs * ordinals_.num_batches());
  auto stream = SharedStream::Join(*parts_.sharing, StreamName(parts_, plan),
                                   std::min(ChunkOf(plan.first_batch), end), end);
  if (stream.ok()) {
    stream_ = *std::move(stream);
  } else {
    log::Warn("prepared samples are not shared with other trainings",
              {{"error", stream.status().ToString()}});
  }
  return stream_.get();
}

SharedWork SharedRows::work() const {
  MutexLock lock(mutex_);
  return stream_ == nullptr ? SharedWork() : stream_->work();
}

absl::StatusOr<Rows> SharedRows::Make(std::span<const int64_t> wanted, int64_t from, int64_t to,
                                      const std::stop_token& stop) {
  progress_.Begin(from, ChunkOf(from));
  SharedStream* const stream = Joined();
  absl::StatusOr<Rows> rows = stream != nullptr && stream->IsShared()
                                  ? MakeShared(*stream, wanted, {from, to}, stop)
                                  : rows_.Make(wanted, from, stop);
  const int64_t next = progress_.End(from, to, ChunkOf(to));
  if (stream != nullptr && rows.ok()) stream->Advance(next);
  return rows;
}

absl::StatusOr<Rows> SharedRows::MakeShared(SharedStream& stream, std::span<const int64_t> wanted,
                                            Batches batches, const std::stop_token& stop) {
  const int64_t from = batches.from;
  const int64_t first = ordinals_.OfBatch(from % ordinals_.num_batches()).from;
  const int64_t last = std::min(first + std::ssize(wanted), ordinals_.num_positions());
  Rows rows;
  for (int64_t at = first; at < last;) {
    const int64_t end = std::min(last, (at / chunk_size_ + 1) * chunk_size_);
    RETURN_IF_ERROR(AddChunk(stream, from, {at, end}, stop, rows));
    at = end;
    // The next call may begin in the last chunk of this one.
    const int64_t chunk = ordinals_.EpochOf(from) * chunks_of_epoch_ + at / chunk_size_;
    stream.Advance(progress_.Begin(from, std::min(chunk, ChunkOf(batches.to))));
  }
  const auto beyond = wanted.subspan(static_cast<size_t>(last - first));
  if (beyond.empty()) return rows;
  ASSIGN_OR_RETURN(Rows own, rows_.Make(beyond, from, stop));
  std::ranges::move(own.pieces, std::back_inserter(rows.pieces));
  std::ranges::move(own.bad, std::back_inserter(rows.bad));
  std::ranges::move(own.filtered, std::back_inserter(rows.filtered));
  return rows;
}

absl::Status SharedRows::AddChunk(SharedStream& stream, int64_t from, Positions at,
                                  const std::stop_token& stop, Rows& rows) {
  const int64_t begin = at.from / chunk_size_ * chunk_size_;
  const Positions whole = {begin, std::min(begin + chunk_size_, ordinals_.num_positions())};
  const int64_t epoch = ordinals_.EpochOf(from);
  std::vector<int64_t> ordinals;
  ordinals_.Append(epoch, whole, ordinals);
  ASSIGN_OR_RETURN(const std::shared_ptr<const Rows> chunk,
                   stream.Get(
                       epoch * chunks_of_epoch_ + begin / chunk_size_,
                       [&] { return rows_.Make(ordinals, from, stop); }, stop));
  if (!chunk->pieces.empty() && chunk->pieces[0].num_rows() > 0) {
    const batch::Batch& piece = chunk->pieces[0];
    const auto [first, last] = FindRows(piece, ordinals, {at.from - begin, at.to - begin});
    if (first < last) rows.pieces.push_back(batch::Slice(piece, first, last));
  }
  rows.filtered.insert(rows.filtered.end(), chunk->filtered.begin(), chunk->filtered.end());
  if (chunk->bad.empty()) return absl::OkStatus();
  // Each training reports what it could not use, whoever has found it.
  absl::flat_hash_set<int64_t> keys;
  for (int64_t place = at.from - begin; place < at.to - begin; ++place) {
    keys.insert(parts_.set->keys[static_cast<size_t>(ordinals[static_cast<size_t>(place)])]);
  }
  const auto before = std::ssize(rows.bad);
  std::ranges::copy_if(chunk->bad, std::back_inserter(rows.bad),
                       [&](const Unreadable& bad) { return keys.contains(bad.key); });
  if (parts_.bad != nullptr) parts_.bad->Add(std::span(rows.bad).subspan(before));
  return absl::OkStatus();
}

}  // namespace tidemill::loader
