#include "supervisor_client/member_offer.h"

#include "fmt/format.h"

namespace tidemill::supervisor {

void AddSlots(const std::string& device, int count, v1::MemberOffer& offer) {
  v1::SlotOffer& slot = *offer.add_slots();
  slot.set_device(device);
  slot.set_count(count);
}

void AddGpus(const devices::Devices& devices, std::optional<int> most, v1::MemberOffer& offer) {
  for (const devices::Gpu& gpu : devices.gpus()) {
    if (most && gpu.index >= *most) return;
    AddSlots(fmt::format("cuda:{}", gpu.index), 1, offer);
    v1::SlotOffer& slot = *offer.mutable_slots()->rbegin();
    slot.set_id(gpu.id);
    slot.set_model(gpu.name);
    slot.set_memory_bytes(gpu.memory_bytes);
  }
}

}  // namespace tidemill::supervisor
