#include "plugin/process/fault.h"

#include "absl/strings/cord.h"

namespace tidemill::plugin {
namespace {

constexpr char kTraceback[] = "tidemill/plugin_traceback";

}  // namespace

absl::Status WithTraceback(absl::Status failure, std::string_view traceback) {
  if (!failure.ok() && !traceback.empty()) {
    failure.SetPayload(kTraceback, absl::Cord(std::string(traceback)));
  }
  return failure;
}

std::string TracebackOf(const absl::Status& failure) {
  const auto traceback = failure.GetPayload(kTraceback);
  return traceback ? std::string(*traceback) : "";
}

}  // namespace tidemill::plugin
