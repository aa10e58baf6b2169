#include "storage/prepared_objects/object_samples.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "fmt/format.h"

#include "base/logs/log.h"
#include "prepared/medium_speed.h"

namespace tidemill::storage {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kBlockBytes = int64_t{8} << 20;
// A budget holds at least this many blocks.
constexpr int64_t kLeastBlocks = 16;
constexpr int64_t kMostUnwritten = int64_t{64} << 20;
constexpr std::chrono::seconds kLongestInMemory{5};
constexpr std::chrono::seconds kBetweenListings{10};
constexpr std::chrono::milliseconds kTick{500};
constexpr std::chrono::seconds kFullFor{5};
// How long Keep() waits for room, where it does.
constexpr std::chrono::seconds kLongestWait{60};
constexpr std::chrono::seconds kLongestEnd{10};
constexpr int kWriters = 4;
// Rows are read together with what is between them, if that is little.
constexpr int64_t kLargestGap = int64_t{32} << 10;
constexpr int64_t kLongestRange = int64_t{1} << 20;

int64_t NsSince(Clock::time_point begin) {
  return (Clock::now() - begin) / std::chrono::nanoseconds(1);
}

}  // namespace

int64_t ObjectSamples::Draft::bytes() const {
  return std::ssize(entries) * prepared::kEntryBytes + std::ssize(rows);
}

ObjectSamples::ObjectSamples(Store store, std::string digest, prepared::PointAbout about,
                             prepared::RowColumns columns)
    : store_(store),
      digest_(std::move(digest)),
      about_(std::move(about)),
      columns_(std::move(columns)),
      block_bytes_(
          std::min(kBlockBytes, std::max<int64_t>(1, store.budget.bytes() / kLeastBlocks))),
      writers_(std::in_place, "prepared.put", kWriters) {
  ticks_.emplace("prepared.objects", kTick, [this] { return Tick(); });
}

ObjectSamples::~ObjectSamples() {
  ticks_.reset();
  {
    MutexLock lock(mutex_);
    if (!store_.takes_all) write_until_ = Clock::now() + kLongestEnd;
    PutDraft();
  }
  writers_.reset();  // Writes what is queued.
  const prepared::StoreCounts counts = this->counts();
  log::Info("used the object store of prepared rows",
            {{"found", fmt::format("{}", counts.found)},
             {"put", fmt::format("{}", counts.kept)},
             {"passed_over", fmt::format("{}", counts.refused)}});
}

absl::Status ObjectSamples::Tick() {
  bool lists = false;
  {
    MutexLock lock(mutex_);
    const auto now = Clock::now();
    if (!draft_.entries.empty() && now - draft_.begin > kLongestInMemory) PutDraft();
    lists = is_listing_wanted_ && now >= list_again_;
  }
  if (lists) List();
  // A store that is away gets it later.
  if (lists) NotePoint().IgnoreError();
  return absl::OkStatus();
}

// --- What is in the store ---

std::shared_ptr<ObjectSamples::Block> ObjectSamples::Indexed(
    const StoredObject& object, std::vector<prepared::RowEntry> entries) {
  auto block = std::make_shared<Block>(Block{.name = object.name});
  int64_t offset = prepared::kHeaderBytes + std::ssize(entries) * prepared::kEntryBytes;
  for (const prepared::RowEntry& entry : entries) {
    block->offsets.push_back(offset);
    offset += entry.row_bytes;
  }
  block->entries = std::move(entries);
  return block;
}

void ObjectSamples::Add(const std::shared_ptr<const Block>& block, std::string etag) {
  for (size_t at = 0; at < block->entries.size(); ++at) {
    const prepared::RowEntry& entry = block->entries[at];
    if (entry.state != prepared::RowState::kMissing) places_[entry.name()] = {block, at};
  }
  blocks_[block->name] = {block, std::move(etag)};
}

void ObjectSamples::Drop(const std::shared_ptr<const Block>& block) {
  for (const prepared::RowEntry& entry : block->entries) {
    const auto place = places_.find(entry.name());
    if (place != places_.end() && place->second.block == block) places_.erase(place);
  }
}

std::shared_ptr<const ObjectSamples::Block> ObjectSamples::ReadIndex(const StoredObject& object) {
  const int64_t head =
      prepared::kHeaderBytes + RowsOfBlock(object.name).value_or(0) * prepared::kEntryBytes;
  const auto bytes = store_.objects.Read(object.name, 0, std::min(head, object.bytes));
  if (!bytes.ok()) return nullptr;
  auto entries = prepared::EntriesOf(*bytes, object.bytes);
  // A damaged block is remembered as one without rows.
  if (entries.ok() && store_.forgotten.HasAny(*entries)) {
    // Its writer has died before it could do this.
    store_.forgotten.Clean(object.name, object.bytes).IgnoreError();
    return nullptr;
  }
  if (entries.ok()) return Indexed(object, *std::move(entries));
  MutexLock lock(mutex_);
  counts_.damaged += RowsOfBlock(object.name).value_or(0);
  if (!std::exchange(has_said_damage_, true)) {
    log::Warn("prepared rows in the object store are damaged, and are prepared again",
              {{"object", fmt::format("{}/{}", store_.objects.url(), object.name)},
               {"because", std::string(entries.status().message())}});
  }
  return Indexed(object, {});
}

void ObjectSamples::List() {
  const auto listed = store_.objects.List(digest_ + "/");
  std::vector<const StoredObject*> fresh;
  absl::flat_hash_set<std::string_view> names;
  if (listed.ok()) {
    // What a reader sees of forgotten keys may be some seconds old.
    store_.forgotten.Refresh().IgnoreError();
    MutexLock lock(mutex_);
    for (const StoredObject& object : *listed) {
      if (!RowsOfBlock(object.name)) continue;
      names.insert(object.name);
      const auto known = blocks_.find(object.name);
      if (known != blocks_.end() && known->second.etag.empty()) known->second.etag = object.etag;
      const bool is_known = known != blocks_.end() && known->second.etag == object.etag;
      if (!is_known) fresh.push_back(&object);
    }
    for (auto block = blocks_.begin(); block != blocks_.end();) {
      // What was put here after the listing began is not in it.
      const bool is_gone = !names.contains(block->first) && !block->second.etag.empty();
      if (is_gone) Drop(block->second.block);
      block = is_gone ? blocks_.erase(block) : std::next(block);
    }
  }
  store_.readers.ParallelFor(std::ssize(fresh), [&](int64_t i) {
    const StoredObject& object = *fresh[static_cast<size_t>(i)];
    const auto block = ReadIndex(object);
    if (block == nullptr) return;
    MutexLock lock(mutex_);
    const auto known = blocks_.find(block->name);
    if (known != blocks_.end()) Drop(known->second.block);
    Add(block, object.etag);
  });
  MutexLock lock(mutex_);
  has_listed_ = true;
  is_listing_wanted_ = false;
  list_again_ = Clock::now() + kBetweenListings;
  changed_.notify_all();
}

// The index of a large store is read further in the background.
void ObjectSamples::AwaitFirstListing() {
  const auto until = Clock::now() + (store_.takes_all ? kLongestWait : RowObjects::kPatience);
  MutexLock lock(mutex_);
  while (!has_listed_ && changed_.wait_until(mutex_, until) != std::cv_status::timeout) {
  }
  // Waits once.
  if (!std::exchange(has_listed_, true)) is_listing_wanted_ = true;
}

// --- Find ---

std::vector<ObjectSamples::Wanted> ObjectSamples::Look(std::span<const prepared::SampleName> names,
                                                       const prepared::NamedRows& rows) {
  std::vector<Wanted> wanted;
  MutexLock lock(mutex_);
  for (size_t i = 0; i < names.size(); ++i) {
    if (rows.states[i] != prepared::RowState::kMissing || names[i].record == 0) continue;
    const auto place = places_.find(names[i]);
    if (place != places_.end()) wanted.push_back({static_cast<int64_t>(i), place->second});
  }
  std::ranges::sort(
      wanted, {}, [](const Wanted& one) { return std::pair(one.place.block.get(), one.offset()); });
  return wanted;
}

void ObjectSamples::NoteDamage(const Wanted& wanted) {
  MutexLock lock(mutex_);
  const auto known = places_.find(wanted.entry().name());
  if (known != places_.end() && known->second.block == wanted.place.block) places_.erase(known);
  ++counts_.damaged;
  if (std::exchange(has_said_damage_, true)) return;
  log::Warn("a prepared row is damaged or was wiped, and is prepared again",
            {{"object", fmt::format("{}/{}", store_.objects.url(), wanted.place.block->name)},
             {"key", fmt::format("{}", wanted.entry().key)}});
}

bool ObjectSamples::ReadRange(std::span<const Wanted> range, Mutex& rows_mutex,
                              prepared::NamedRows& rows) {
  const int64_t from = range.front().offset();
  const int64_t to = range.back().offset() + range.back().entry().row_bytes;
  const auto bytes = store_.objects.ReadSoon(range.front().place.block->name, from, to);
  if (absl::IsNotFound(bytes.status())) {
    // It gave way to others, or its last row was wiped.
    MutexLock lock(mutex_);
    Drop(range.front().place.block);
    return true;
  }
  if (!bytes.ok() && !absl::IsDataLoss(bytes.status())) return false;
  for (const Wanted& one : range) {
    bool is_good = false;
    if (bytes.ok()) {
      const std::string_view row = std::string_view(*bytes).substr(
          static_cast<size_t>(one.offset() - from), one.entry().row_bytes);
      if (one.entry().state == prepared::RowState::kBad) {
        // Reasons of all rows are in one map.
        MutexLock lock(rows_mutex);
        is_good = prepared::TakeRow(one.entry(), row, columns_, one.row, rows);
      } else {
        is_good = prepared::TakeRow(one.entry(), row, columns_, one.row, rows);
      }
    }
    if (!is_good) NoteDamage(one);
  }
  return true;
}

void ObjectSamples::Find(std::span<const prepared::SampleName> names, prepared::NamedRows& rows) {
  const auto begin = Clock::now();
  const int64_t num_asked = rows.NumMissing();
  AwaitFirstListing();
  const std::vector<Wanted> wanted = Look(names, rows);
  std::vector<std::span<const Wanted>> ranges;
  for (size_t from = 0, to = 0; from < wanted.size(); from = to) {
    const Wanted& first = wanted[from];
    for (to = from + 1; to < wanted.size(); ++to) {
      const Wanted& before = wanted[to - 1];
      const int64_t end = before.offset() + before.entry().row_bytes;
      if (wanted[to].place.block != first.place.block || wanted[to].offset() - end > kLargestGap ||
          wanted[to].offset() + wanted[to].entry().row_bytes - first.offset() > kLongestRange) {
        break;
      }
    }
    ranges.push_back(std::span(wanted).subspan(from, to - from));
  }
  Mutex rows_mutex;
  std::atomic<bool> gives_up = false;
  std::atomic<bool> is_slow = false;
  store_.readers.ParallelFor(std::ssize(ranges), [&](int64_t i) {
    if (gives_up) return;
    if (Clock::now() - begin > 2 * RowObjects::kPatience) {
      is_slow = true;
      gives_up = true;
    } else if (!ReadRange(ranges[static_cast<size_t>(i)], rows_mutex, rows)) {
      gives_up = true;
    }
  });
  if (is_slow) store_.objects.NoteSlow();
  const int64_t num_missing = rows.NumMissing();
  MutexLock lock(mutex_);
  if (num_missing > 0) is_listing_wanted_ = true;
  counts_.found += num_asked - num_missing;
  counts_.missing += num_missing;
  counts_.read_ns += NsSince(begin);
}

// --- Keep ---

bool ObjectSamples::HasRoomFor(int64_t bytes) {
  const auto until = Clock::now() + kLongestWait;
  while (unwritten_bytes_ + bytes > kMostUnwritten && unwritten_bytes_ > 0) {
    if (!store_.takes_all || store_.objects.is_away()) return false;
    if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) return false;
  }
  return true;
}

bool ObjectSamples::Refuse(int64_t num_rows, std::string_view why) {
  counts_.refused += num_rows;
  if (std::exchange(has_said_refused_, true)) return false;
  log::Info("prepared rows are not put into the object store",
            {{"url", store_.objects.url()}, {"because", std::string(why)}});
  return false;
}

bool ObjectSamples::Keep(std::span<const prepared::SampleName> names,
                         const prepared::NamedRows& rows) {
  const auto begin = Clock::now();
  if (store_.takes_all) AwaitFirstListing();
  const bool is_away = store_.objects.is_away();
  MutexLock lock(mutex_);
  std::vector<size_t> which;
  int64_t bytes = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_new = rows.states[i] != prepared::RowState::kMissing && names[i].record != 0 &&
                        !places_.contains(names[i]) && !unwritten_.contains(names[i]);
    if (!is_new) continue;
    which.push_back(i);
    bytes += prepared::kEntryBytes +
             (rows.states[i] == prepared::RowState::kGood ? prepared::RowBytes(columns_) : 0);
  }
  if (which.empty()) return true;
  const int64_t num_rows = std::ssize(which);
  if (is_away) return Refuse(num_rows, "it could not be reached a moment ago");
  if (begin < full_until_) return Refuse(num_rows, "the budget is used up");
  if (!HasRoomFor(bytes)) return Refuse(num_rows, "rows come faster than they can be written");
  for (const size_t i : which) {
    if (draft_.entries.empty()) draft_.begin = begin;
    const auto row = static_cast<int64_t>(i);
    const prepared::RowEntry& entry =
        draft_.entries.emplace_back(prepared::EntryOf(names[i], rows, columns_, row));
    if (entry.state == prepared::RowState::kGood) {
      for (const prepared::Piece& piece : prepared::PiecesOf(columns_, row, rows.data)) {
        draft_.rows.append(reinterpret_cast<const char*>(piece.data), piece.size);
      }
    } else if (entry.state == prepared::RowState::kBad) {
      draft_.rows += rows.reasons.at(row);
    }
    unwritten_.insert(names[i]);
    unwritten_bytes_ += prepared::kEntryBytes + entry.row_bytes;
    if (draft_.bytes() >= block_bytes_) PutDraft();
  }
  counts_.write_ns += NsSince(begin);
  return true;
}

void ObjectSamples::PutDraft() {
  if (draft_.entries.empty()) return;
  auto draft = std::make_shared<Draft>(std::exchange(draft_, {}));
  writers_->Submit([this, draft] { Put(*draft); });
}

void ObjectSamples::Put(const Draft& draft) {
  const absl::Status status = PutBlock(draft);
  MutexLock lock(mutex_);
  const int64_t num_rows = std::ssize(draft.entries);
  for (const prepared::RowEntry& entry : draft.entries) unwritten_.erase(entry.name());
  unwritten_bytes_ -= draft.bytes();
  if (status.ok()) {
    counts_.kept += num_rows;
    counts_.kept_bytes += prepared::kHeaderBytes + draft.bytes();
  } else {
    if (absl::IsResourceExhausted(status)) full_until_ = Clock::now() + kFullFor;
    Refuse(num_rows, std::string(status.message()));
  }
  changed_.notify_all();
}

absl::Status ObjectSamples::NotePoint() {
  {
    MutexLock lock(mutex_);
    if (Clock::now() < note_again_) return absl::OkStatus();
  }
  RETURN_IF_ERROR(store_.budget.OpenPoint(digest_, about_));
  MutexLock lock(mutex_);
  note_again_ = Clock::now() + store_.budget.note_interval();
  return absl::OkStatus();
}

absl::Status ObjectSamples::PutBlock(const Draft& draft) {
  {
    MutexLock lock(mutex_);
    if (Clock::now() > write_until_) return Unavailable("the job ended before they were written");
  }
  RETURN_IF_ERROR(NotePoint());
  const prepared::BlockHeader header = prepared::HeaderOf(draft.entries);
  if (!store_.budget.MakeRoom(digest_, header.bytes)) {
    return absl::ResourceExhaustedError("the budget is used up by rows that save as much");
  }
  std::string bytes;
  bytes.reserve(static_cast<size_t>(header.bytes));
  bytes.append(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes.append(reinterpret_cast<const char*>(draft.entries.data()),
               draft.entries.size() * sizeof(prepared::RowEntry));
  bytes += draft.rows;
  const StoredObject object = {.name = NewBlockName(digest_, draft.entries.size()),
                               .bytes = header.bytes};
  RETURN_IF_ERROR(store_.objects.Put(object.name, bytes));
  // A key that was deleted after its row was prepared: see forgotten_keys.h.
  RETURN_IF_ERROR(store_.forgotten.Refresh());
  if (store_.forgotten.HasAny(draft.entries)) {
    return store_.forgotten.Clean(object.name, object.bytes).status();
  }
  MutexLock lock(mutex_);
  Add(Indexed(object, draft.entries), "");
  return absl::OkStatus();
}

void ObjectSamples::Flush() {
  MutexLock lock(mutex_);
  PutDraft();
  while (!unwritten_.empty()) changed_.wait(mutex_);
}

prepared::StoreCounts ObjectSamples::counts() const {
  MutexLock lock(mutex_);
  return counts_;
}

}  // namespace tidemill::storage
