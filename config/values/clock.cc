#include "config/values/clock.h"

#include "fmt/format.h"

#include "base/times/clock_time.h"

namespace tidemill::config::internal {

void PutOnClock(const Type& type, void* value, const std::string& zone, Problems& problems) {
  const auto below = [&](const std::string& path, const Type& part, void* held) {
    const Problems::Scope scope(problems, path);
    PutOnClock(part, held, zone, problems);
  };
  switch (type.kind) {
    case Kind::kClockTime: {
      const absl::Status status = As<ClockTime>(value).SetZone(zone);
      if (status.ok()) return;
      return problems.Add("", std::string(status.message()),
                          fmt::format("without a zone it is a time in {}, the dataset's "
                                      "event_time.time_zone; write one that this clock shows",
                                      zone));
    }
    case Kind::kOptional:
      if (type.size(value) > 0) PutOnClock(type.element(), type.at(value, 0), zone, problems);
      return;
    case Kind::kList:
      for (size_t i = 0; i < type.size(value); ++i) {
        below(fmt::format("[{}]", i), type.element(), type.at(value, i));
      }
      return;
    case Kind::kMap:
      return type.entries(
          value, [&](const std::string& key, void* entry) { below(key, type.element(), entry); });
    case Kind::kVariant:
      return PutOnClock(type.alternatives[type.index(value)](), type.held(value), zone, problems);
    case Kind::kKeyed: {
      const Type& held = type.alternatives[type.index(value)]();
      return below(std::string(held.tag), held, type.held(value));
    }
    case Kind::kStruct:
      if (type.take_clock != nullptr) type.take_clock(value, zone);
      return type.members(value, [&](const Member& member) {
        below(std::string(member.key), member.type(), member.value);
      });
    default:
      return;
  }
}

}  // namespace tidemill::config::internal
