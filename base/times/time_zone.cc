#include "base/times/time_zone.h"

#include <optional>
#include <string_view>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"

#include "base/times/zone_database.h"

namespace tidemill {

// The standard library of g++ 12 has no zone database; abseil's reads the system's.
struct NamedZone {
  absl::TimeZone zone;
};

namespace {

// Returns the zone that a record names, or nullptr. The records of a file mostly name the same one.
const TimeZone* ZoneOfRecord(std::string_view name) {
  thread_local std::string last_name;
  thread_local std::optional<TimeZone> last;
  if (name != last_name) {
    last_name = name;
    last.reset();
    if (auto zone = TimeZone::Create(last_name); zone.ok()) last = *std::move(zone);
  }
  return last ? &*last : nullptr;
}

}  // namespace

absl::StatusOr<TimeZone> TimeZone::Create(const std::string& name) {
  TimeZone made;
  if (name == "UTC") return made;
  std::string_view text = name;
  std::optional<int> offset;
  if (TakeOffset(text, offset) && text.empty()) {
    made.offset_seconds_ = *offset;
    return made;
  }
  auto named = std::make_shared<NamedZone>();
  ASSIGN_OR_RETURN(named->zone, LoadZone(name));
  made.named_ = std::move(named);
  return made;
}

int64_t TimeZone::ToLocal(Timestamp time) const {
  if (!named_) return time.micros + kMicrosInSecond * offset_seconds_;
  const absl::TimeZone::CivilInfo info = named_->zone.At(absl::FromUnixMicros(time.micros));
  return time.micros + kMicrosInSecond * info.offset;
}

absl::StatusOr<Timestamp> TimeZone::ToUtc(int64_t local_micros, AmbiguousTime rule) const {
  if (!named_) return Timestamp{local_micros - kMicrosInSecond * offset_seconds_};
  int64_t seconds = local_micros / kMicrosInSecond;
  if (local_micros % kMicrosInSecond < 0) --seconds;
  const int64_t fraction = local_micros - seconds * kMicrosInSecond;
  const absl::TimeZone::TimeInfo found = named_->zone.At(absl::CivilSecond(1970, 1, 1) + seconds);
  if (found.kind == absl::TimeZone::TimeInfo::SKIPPED) {
    return InvalidArgument(
        "it does not exist in {}, where clocks skip it when they are set forward; if the clock of "
        "the data was not set forward, write its UTC offset in time_zone",
        named_->zone.name());
  }
  const bool twice = found.kind == absl::TimeZone::TimeInfo::REPEATED;
  if (twice && rule == AmbiguousTime::kBad) {
    return InvalidArgument("it occurs twice in {}, where clocks are set back", named_->zone.name());
  }
  const absl::Time instant = twice && rule == AmbiguousTime::kSecond ? found.post : found.pre;
  return Timestamp{absl::ToUnixMicros(instant) + fraction};
}

Timestamp TimeZone::FirstAtOrAfter(int64_t local_micros) const {
  if (!named_) return {local_micros - kMicrosInSecond * offset_seconds_};
  int64_t seconds = local_micros / kMicrosInSecond;
  if (local_micros % kMicrosInSecond < 0) --seconds;
  const absl::TimeZone::TimeInfo found = named_->zone.At(absl::CivilSecond(1970, 1, 1) + seconds);
  if (found.kind == absl::TimeZone::TimeInfo::SKIPPED) return {absl::ToUnixMicros(found.trans)};
  return {absl::ToUnixMicros(found.pre) + local_micros - seconds * kMicrosInSecond};
}

absl::StatusOr<Timestamp> ToTimestamp(const CivilTime& civil, const TimeZone& zone,
                                      AmbiguousTime rule) {
  ASSIGN_OR_RETURN(const int64_t local, LocalMicros(civil));
  Timestamp time;
  if (civil.offset_seconds) {
    time.micros = local - kMicrosInSecond * *civil.offset_seconds;
  } else {
    const TimeZone* const own = civil.zone_name.empty() ? &zone : ZoneOfRecord(civil.zone_name);
    if (own == nullptr) return InvalidArgument("its time zone is unknown");
    ASSIGN_OR_RETURN(time, own->ToUtc(local, rule));
  }
  if (civil.second == 60) RETURN_IF_ERROR(CheckLeapSecond(civil, time));
  return time;
}

}  // namespace tidemill
