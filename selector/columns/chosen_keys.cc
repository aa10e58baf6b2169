#include "selector/columns/chosen_keys.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include <roaring/roaring.hh>

namespace tidemill::selector {
namespace {

// Shorter runs are cheaper to add key by key.
constexpr size_t kShortestRange = 16;

uint32_t HighOf(int64_t key) { return static_cast<uint32_t>(static_cast<uint64_t>(key) >> 32); }
uint32_t LowOf(int64_t key) { return static_cast<uint32_t>(key); }

// How many keys from the first on are each one more than the one before and have the same high
// bits.
size_t RunAt(std::span<const int64_t> keys) {
  size_t length = 1;
  while (length < keys.size() && keys[length] == keys[length - 1] + 1 &&
         HighOf(keys[length]) == HighOf(keys[0])) {
    ++length;
  }
  return length;
}

template <typename T>
void Put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
bool Take(std::string_view& bytes, T& value) {
  if (bytes.size() < sizeof(value)) return false;
  std::memcpy(&value, bytes.data(), sizeof(value));
  bytes.remove_prefix(sizeof(value));
  return true;
}

}  // namespace

// By the high 32 bits of the keys.
struct ChosenKeys::Bitmaps {
  std::map<uint32_t, Roaring> by_high;

  Roaring& At(uint32_t high) { return by_high[high]; }
  const Roaring* Find(uint32_t high) const {
    const auto found = by_high.find(high);
    return found == by_high.end() ? nullptr : &found->second;
  }
};

ChosenKeys::ChosenKeys() : bitmaps_(std::make_unique<Bitmaps>()) {}
ChosenKeys::~ChosenKeys() = default;
ChosenKeys::ChosenKeys(const ChosenKeys& other)
    : bitmaps_(std::make_unique<Bitmaps>(*other.bitmaps_)) {}
ChosenKeys& ChosenKeys::operator=(const ChosenKeys& other) {
  if (this != &other) bitmaps_ = std::make_unique<Bitmaps>(*other.bitmaps_);
  return *this;
}
ChosenKeys::ChosenKeys(ChosenKeys&& other) noexcept
    : bitmaps_(std::exchange(other.bitmaps_, std::make_unique<Bitmaps>())) {}
ChosenKeys& ChosenKeys::operator=(ChosenKeys&& other) noexcept {
  std::swap(bitmaps_, other.bitmaps_);
  return *this;
}

void ChosenKeys::Add(std::span<const int64_t> keys) {
  std::vector<uint32_t> single;
  uint32_t high = 0;
  const auto add_single = [&] {
    if (!single.empty()) bitmaps_->At(high).addMany(single.size(), single.data());
    single.clear();
  };
  while (!keys.empty()) {
    const size_t run = RunAt(keys);
    if (HighOf(keys[0]) != high) add_single();
    high = HighOf(keys[0]);
    if (run >= kShortestRange) {
      bitmaps_->At(high).addRange(LowOf(keys[0]), uint64_t{LowOf(keys[0])} + run);
    } else {
      for (size_t i = 0; i < run; ++i) single.push_back(LowOf(keys[i]));
    }
    keys = keys.subspan(run);
  }
  add_single();
}

void ChosenKeys::Add(const ChosenKeys& others) {
  for (const auto& [high, bitmap] : others.bitmaps_->by_high) bitmaps_->At(high) |= bitmap;
}

ChosenKeys ChosenKeys::And(const ChosenKeys& others) const {
  ChosenKeys both;
  for (const auto& [high, bitmap] : bitmaps_->by_high) {
    const Roaring* other = others.bitmaps_->Find(high);
    if (other == nullptr) continue;
    Roaring common = bitmap & *other;
    if (!common.isEmpty()) both.bitmaps_->by_high.emplace(high, std::move(common));
  }
  return both;
}

bool ChosenKeys::Contains(int64_t key) const {
  const Roaring* bitmap = bitmaps_->Find(HighOf(key));
  return bitmap != nullptr && bitmap->contains(LowOf(key));
}

void ChosenKeys::Contains(std::span<const int64_t> keys, uint8_t* contained) const {
  const Roaring* bitmap = nullptr;
  uint32_t high = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || HighOf(keys[i]) != high) {
      high = HighOf(keys[i]);
      bitmap = bitmaps_->Find(high);
    }
    contained[i] = bitmap != nullptr && bitmap->contains(LowOf(keys[i])) ? 1 : 0;
  }
}

int64_t ChosenKeys::CountOf(std::span<const int64_t> keys) const {
  std::vector<uint8_t> contained(keys.size());
  Contains(keys, contained.data());
  return std::count(contained.begin(), contained.end(), 1);
}

int64_t ChosenKeys::size() const {
  uint64_t size = 0;
  for (const auto& [high, bitmap] : bitmaps_->by_high) size += bitmap.cardinality();
  return static_cast<int64_t>(size);
}

std::string ChosenKeys::Encode() const {
  std::string bytes;
  Put(bytes, uint64_t{bitmaps_->by_high.size()});
  for (auto [high, bitmap] : bitmaps_->by_high) {
    bitmap.removeRunCompression();  // Whether there are runs depends on how keys were added.
    bitmap.runOptimize();
    Put(bytes, high);
    const size_t at = bytes.size();
    bytes.resize(at + bitmap.getSizeInBytes());
    bitmap.write(bytes.data() + at);
  }
  return bytes;
}

absl::StatusOr<ChosenKeys> ChosenKeys::Decode(std::string_view bytes) {
  ChosenKeys keys;
  uint64_t count = 0;
  if (!Take(bytes, count)) return DataLoss("a set of keys has no length");
  for (; count > 0; --count) {
    uint32_t high = 0;
    if (!Take(bytes, high)) return DataLoss("a set of keys is too short");
    roaring_bitmap_t* const read =
        roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size());
    if (read == nullptr) return DataLoss("a set of keys is not a bitmap");
    Roaring bitmap(read);
    bytes.remove_prefix(bitmap.getSizeInBytes());
    keys.bitmaps_->by_high.emplace(high, std::move(bitmap));
  }
  if (!bytes.empty()) return DataLoss("a set of keys has {} bytes too many", bytes.size());
  return keys;
}

}  // namespace tidemill::selector
