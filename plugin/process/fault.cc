#include "plugin/process/fault.h"

#include <utility>

#include "absl/strings/cord.h"

namespace tidemill::plugin {
namespace {

constexpr char kTraceback[] = "tidemill/plugin_traceback";
constexpr char kOfMachine[] = "tidemill/plugin_machine";

}  // namespace

absl::Status WithTraceback(absl::Status failure, std::string_view traceback) {
  if (!failure.ok() && !traceback.empty()) {
    failure.SetPayload(kTraceback, absl::Cord(std::string(traceback)));
  }
  return failure;
}

absl::Status OfMachine(absl::Status failure, const absl::Status& cause) {
  failure.SetPayload(kOfMachine, absl::Cord("1"));
  return WithTraceback(std::move(failure), TracebackOf(cause));
}

bool IsOfMachine(const absl::Status& failure) { return failure.GetPayload(kOfMachine).has_value(); }

std::string TracebackOf(const absl::Status& failure) {
  const auto traceback = failure.GetPayload(kTraceback);
  return traceback ? std::string(*traceback) : "";
}

}  // namespace tidemill::plugin
