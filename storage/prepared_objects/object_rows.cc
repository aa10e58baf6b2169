#include "storage/prepared_objects/object_rows.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <random>
#include <utility>

#include "base/digest.h"
#include "base/files.h"
#include "storage/prepared_objects/object_samples.h"

namespace tidemill::storage {
namespace {

constexpr int kMostReaders = 16;
constexpr int64_t kProbeBytes = int64_t{4} << 20;
constexpr int64_t kPieceBytes = int64_t{256} << 10;
constexpr int64_t kProbeRows = 32;
constexpr int64_t kProbeRowBytes = 64;

double ObjectNsOf(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

// What this thread has computed. No batch waits for the rest of a put.
double ThreadNs() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ObjectRows>> ObjectRows::Open(const ObjectRowsOptions& options,
                                                             const ObjectStoreConfig& connection) {
  ASSIGN_OR_RETURN(auto objects, RowObjects::Open(options.url, connection));
  return std::unique_ptr<ObjectRows>(new ObjectRows(options, std::move(objects)));
}

ObjectRows::ObjectRows(ObjectRowsOptions options, std::unique_ptr<RowObjects> objects)
    : options_(std::move(options)),
      objects_(std::move(objects)),
      budget_(*objects_, options_.bytes, options_.keep_unused),
      forgotten_(*objects_),
      readers_("prepared.get", std::min(kMostReaders, objects_->connections())) {}

std::unique_ptr<prepared::PreparedSamples> ObjectRows::OpenPoint(
    const std::string& digest, const prepared::PointAbout& about,
    const prepared::RowColumns& columns) {
  return std::make_unique<ObjectSamples>(ObjectSamples::Store{.objects = *objects_,
                                                              .budget = budget_,
                                                              .forgotten = forgotten_,
                                                              .readers = readers_,
                                                              .takes_all = options_.takes_all},
                                         digest, about, columns);
}

absl::StatusOr<prepared::MediumSpeed> ObjectRows::Measure() {
  std::random_device random;
  const std::string name = fmt::format("{}{:08x}{:08x}", kProbeFolder, random(), random());
  std::string bytes(kProbeBytes, '\7');
  for (char& byte : bytes) byte = static_cast<char>(&byte - bytes.data());
  prepared::MediumSpeed speed;
  const double before = ThreadNs();
  RETURN_IF_ERROR(objects_->Put(name, bytes));
  speed.write_byte_ns = (ThreadNs() - before) / static_cast<double>(kProbeBytes);
  speed.write_row_ns = 500;
  // As Find() reads: many at a time.
  std::atomic<bool> failed = false;
  const auto read = [&](int64_t from, int64_t size) {
    if (!objects_->ReadSoon(name, from, from + size).ok()) failed = true;
  };
  const double rows_ns = ObjectNsOf([&] {
    readers_.ParallelFor(kProbeRows,
                         [&](int64_t i) { read(i * (kProbeBytes / kProbeRows), kProbeRowBytes); });
  });
  const double bytes_ns = ObjectNsOf([&] {
    readers_.ParallelFor(kProbeBytes / kPieceBytes,
                         [&](int64_t i) { read(i * kPieceBytes, kPieceBytes); });
  });
  objects_->Delete(name).IgnoreError();
  if (failed) return Unavailable("{} did not answer in time", objects_->url());
  speed.read_row_ns = rows_ns / static_cast<double>(kProbeRows);
  const double requests = static_cast<double>(kProbeBytes) / static_cast<double>(kPieceBytes);
  speed.read_byte_ns =
      std::max(0.05, (bytes_ns - requests * speed.read_row_ns) / static_cast<double>(kProbeBytes));
  return speed;
}

std::string ObjectRows::SpeedPath() const {
  if (options_.speed_folder.empty()) return "";
  return files::Join(options_.speed_folder, "speed-" + Sha256(objects_->url()).substr(0, 12));
}

void ObjectRows::MeasureOnce() {
  const auto measured = Measure();
  if (measured.ok() && !SpeedPath().empty()) prepared::RememberSpeed(SpeedPath(), *measured);
  MutexLock lock(mutex_);
  is_measuring_ = false;
  if (measured.ok()) speed_ = *measured;
  measured_.notify_all();
}

prepared::MediumSpeed ObjectRows::speed() {
  const auto until = std::chrono::steady_clock::now() + RowObjects::kPatience;
  MutexLock lock(mutex_);
  if (!speed_ && !SpeedPath().empty()) speed_ = prepared::RememberedSpeed(SpeedPath());
  if (!speed_ && !std::exchange(is_measuring_, true)) {
    readers_.Submit([this] { MeasureOnce(); });
  }
  while (!speed_ && is_measuring_) {
    if (measured_.wait_until(mutex_, until) == std::cv_status::timeout) break;
  }
  if (speed_) return *speed_;
  // Slower than anything, until it is known: nothing is kept for its sake.
  return {.read_row_ns = 1e9, .write_row_ns = 1e9};
}

}  // namespace tidemill::storage
