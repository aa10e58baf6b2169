#include "supervisor_client/model_change_text.h"

#include <string_view>

#include "absl/strings/ascii.h"
#include "fmt/format.h"

#include "base/time.h"

namespace tidemill::supervisor {
namespace {

std::string TimeText(const google::protobuf::Timestamp& time) {
  return FormatTimestampShort({time.seconds() * 1'000'000});
}

std::string ByText(const std::string& command) {
  return command.empty() ? "" : fmt::format(" (`{}`)", command);
}

}  // namespace

std::string InUseText(const v1::ModelChange& in_use) {
  return fmt::format("in use{} since {}: {}{}", in_use.pinned() ? " and pinned" : "",
                     TimeText(in_use.in_use_since()), in_use.since_text(),
                     ByText(in_use.since_command()));
}

std::string ModelText(const v1::ModelChange& change) {
  if (change.model_id() == 0) return "no model";
  return fmt::format("model {} (run {}, trigger {})", change.model_id(), change.run_id(),
                     change.trigger());
}

std::string ChangeText(const v1::ModelChange& change) {
  const std::string reason = change.text() + ByText(change.command());
  switch (change.kind()) {
    case v1::MODEL_CHANGE_KIND_KEPT:
    case v1::MODEL_CHANGE_KIND_UNPINNED:
      return fmt::format("{} stays in use: {}", ModelText(change), reason);
    case v1::MODEL_CHANGE_KIND_NONE:
      return fmt::format("no model is in use any more: {}", reason);
    default:
      return fmt::format("{} is in use{}: {}", ModelText(change),
                         change.pinned() ? " and pinned" : "", reason);
  }
}

std::string KindText(v1::ModelChangeKind kind) {
  constexpr std::string_view kPrefix = "MODEL_CHANGE_KIND_";
  return absl::AsciiStrToLower(v1::ModelChangeKind_Name(kind).substr(kPrefix.size()));
}

}  // namespace tidemill::supervisor
