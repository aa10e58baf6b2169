#include "supervisor/pool/registration_check.h"

#include "base/names.h"

namespace tidemill::supervisor {
namespace {

constexpr int kMaxDevices = 256;
constexpr int kMaxSlotsOfDevice = 1024;
constexpr int kMaxLabels = 64;

absl::Status CheckSlot(const v1::SlotOffer& slot) {
  RETURN_IF_ERROR(CheckLabel("device", slot.device()));
  if (slot.device().find(',') != std::string::npos) {
    return InvalidArgument("device {} has a comma", slot.device());
  }
  if (slot.count() < 1 || slot.count() > kMaxSlotsOfDevice) {
    return InvalidArgument("device {} has {} slots; a device has 1 to {}", slot.device(),
                           slot.count(), kMaxSlotsOfDevice);
  }
  if (!slot.id().empty()) RETURN_IF_ERROR(CheckLabel("id of a device", slot.id()));
  return slot.model().empty() ? absl::OkStatus() : CheckLabel("model of a device", slot.model());
}

}  // namespace

absl::Status CheckRegistration(const v1::RegisterMemberRequest& request) {
  const bool is_known = request.kind() == v1::MEMBER_KIND_TRAINER_SERVER ||
                        request.kind() == v1::MEMBER_KIND_EVALUATOR;
  if (!is_known) return InvalidArgument("a member is a trainer server or an evaluator");
  RETURN_IF_ERROR(CheckLabel("member's host", request.host()));
  RETURN_IF_ERROR(CheckLabel("member's endpoint", request.endpoint()));
  if (!request.started_as().empty()) {
    RETURN_IF_ERROR(CheckLabel("name that the engine gave", request.started_as()));
  }
  const v1::MemberOffer& offer = request.offer();
  if (offer.slots().empty()) return InvalidArgument("a member offers slots of devices");
  if (offer.slots_size() > kMaxDevices || offer.labels_size() > kMaxLabels) {
    return InvalidArgument("a member has at most {} devices and {} labels", kMaxDevices,
                           kMaxLabels);
  }
  for (const v1::SlotOffer& slot : offer.slots()) RETURN_IF_ERROR(CheckSlot(slot));
  for (const auto& [name, value] : offer.labels()) {
    RETURN_IF_ERROR(CheckLabel("label", name));
    RETURN_IF_ERROR(CheckLabel("value of a label", value));
  }
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor
