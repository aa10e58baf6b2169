#include "storage/prepared_objects/object_budget.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <optional>
#include <tuple>
#include <utility>

#include "base/logs/log.h"

namespace tidemill::storage {
namespace {

using Clock = std::chrono::steady_clock;

// A point gives way to another only if a byte of that one is worth this many times as much: two of
// about equal worth must not take turns.
constexpr double kTimesAsMuch = 1.25;
constexpr std::string_view kAboutBegin = "about-";
// Left by a process that was killed while it measured the speed.
constexpr int64_t kProbeSeconds = 3600;
// Listing takes at most a twentieth of the time.
constexpr std::chrono::seconds kLeastBetween{5};
constexpr int kTimesBetween = 20;

std::optional<double> WorthOf(std::string_view name) {
  const size_t slash = name.rfind('/');
  std::string_view last = slash == std::string_view::npos ? name : name.substr(slash + 1);
  if (!last.starts_with(kAboutBegin)) return std::nullopt;
  last.remove_prefix(kAboutBegin.size());
  double worth = 0;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), worth);
  if (error != std::errc() || end != last.data() + last.size()) return std::nullopt;
  return worth;
}

}  // namespace

ObjectBudget::ObjectBudget(RowObjects& objects, int64_t bytes, Duration keep_unused)
    : objects_(objects), bytes_(bytes), keep_unused_(keep_unused) {}

bool ObjectBudget::Look() {
  const auto begin = Clock::now();
  if (has_looked_ && begin < look_again_) return true;
  auto listed = objects_.ListSoon("");
  if (!listed.ok()) return false;
  points_.clear();
  const int64_t oldest_probe = std::time(nullptr) - kProbeSeconds;
  for (StoredObject& object : *listed) {
    const size_t slash = object.name.find('/');
    if (slash == std::string::npos) continue;
    if (object.name.starts_with(kProbeFolder) && object.modified_seconds < oldest_probe) {
      objects_.Delete(object.name).IgnoreError();
    }
    const auto worth = WorthOf(object.name);
    const bool is_block = RowsOfBlock(object.name).has_value();
    if (!worth && !is_block) continue;
    Point& point = points_[object.name.substr(0, slash)];
    point.used_seconds = std::max(point.used_seconds, object.modified_seconds);
    if (worth) point.worth = std::max(point.worth, *worth);
    if (is_block) point.bytes += object.bytes;
    (is_block ? point.blocks : point.abouts).push_back(std::move(object));
  }
  look_again_ = Clock::now() +
                std::max<Clock::duration>(kLeastBetween, kTimesBetween * (Clock::now() - begin));
  if (!std::exchange(has_looked_, true)) RemoveUnused();
  Trim();
  return true;
}

void ObjectBudget::RemoveUnused() {
  const int64_t oldest = std::time(nullptr) - keep_unused_.micros / 1'000'000;
  std::erase_if(points_, [&](const auto& named) {
    const Point& point = named.second;
    if (point.used_seconds >= oldest || point.worth >= prepared::kAskedFor) return false;
    // What cannot be removed is tried again by the next process.
    for (const auto* kind : {&point.blocks, &point.abouts}) {
      for (const StoredObject& object : *kind) objects_.Delete(object.name).IgnoreError();
    }
    log::Info("removed prepared rows that nothing used for long",
              {{"point", named.first}, {"bytes", fmt::format("{}", point.bytes)}});
    return true;
  });
}

int64_t ObjectBudget::Used() const {
  int64_t bytes = 0;
  for (const auto& [digest, point] : points_) bytes += point.bytes;
  return bytes;
}

std::vector<ObjectBudget::Point*> ObjectBudget::ByWorth() {
  std::vector<Point*> points;
  for (auto& [digest, point] : points_) points.push_back(&point);
  std::ranges::stable_sort(points, {}, &Point::worth);
  return points;
}

void ObjectBudget::Shrink(Point& point, int64_t bytes) {
  std::ranges::sort(point.blocks, {}, [](const StoredObject& block) {
    return std::tie(block.modified_seconds, block.name);
  });
  while (Used() + bytes > bytes_ && !point.blocks.empty()) {
    if (!objects_.Delete(point.blocks.back().name).ok()) return;
    point.bytes -= point.blocks.back().bytes;
    point.blocks.pop_back();
  }
}

void ObjectBudget::Trim() {
  for (Point* const point : ByWorth()) {
    if (Used() <= bytes_) return;
    Shrink(*point, 0);
  }
}

absl::Status ObjectBudget::OpenPoint(std::string_view digest, const prepared::PointAbout& about) {
  MutexLock lock(mutex_);
  if (!Look()) return Unavailable("{} cannot be listed", objects_.url());
  Point& point = points_[std::string(digest)];
  if (point.worth >= prepared::kAskedFor && about.worth < prepared::kAskedFor)
    return absl::OkStatus();
  const std::string name = fmt::format("{}/{}{:.6g}", digest, kAboutBegin, about.worth);
  RETURN_IF_ERROR(objects_.Put(name, about.text.empty() ? "-" : about.text));
  for (const StoredObject& other : point.abouts) {
    if (other.name != name) objects_.Delete(other.name).IgnoreError();
  }
  point.worth = about.worth;
  point.used_seconds = std::time(nullptr);
  point.abouts = {{.name = name, .modified_seconds = point.used_seconds}};
  return absl::OkStatus();
}

bool ObjectBudget::IsAskedFor(std::string_view digest) {
  MutexLock lock(mutex_);
  if (!Look()) return false;
  const auto point = points_.find(digest);
  return point != points_.end() && point->second.worth >= prepared::kAskedFor;
}

bool ObjectBudget::MakeRoom(std::string_view digest, int64_t bytes) {
  MutexLock lock(mutex_);
  if (bytes > bytes_ || !Look()) return false;
  Point& own = points_[std::string(digest)];
  if (Used() + bytes > bytes_) {
    std::vector<Point*> poorer = ByWorth();
    std::erase_if(poorer, [&](const Point* point) {
      return point == &own || point->worth * kTimesAsMuch > own.worth;
    });
    int64_t could_go = 0;
    for (const Point* const point : poorer) could_go += point->bytes;
    if (Used() - could_go + bytes > bytes_) return false;
    for (Point* const point : poorer) Shrink(*point, bytes);
    if (Used() + bytes > bytes_) return false;
  }
  own.bytes += bytes;
  return true;
}

int64_t ObjectBudget::BytesFor(std::span<const std::string> digests) {
  MutexLock lock(mutex_);
  if (!Look()) return 0;
  int64_t others = 0;
  for (const auto& [digest, point] : points_) {
    if (std::ranges::find(digests, digest) == digests.end()) others += point.bytes;
  }
  return std::max<int64_t>(0, bytes_ - others);
}

}  // namespace tidemill::storage
