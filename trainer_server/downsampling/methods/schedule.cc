#include "trainer_server/downsampling/methods/schedule.h"

#include "trainer_server/downsampling/methods/method.h"

namespace tidemill::trainer_server {

std::unique_ptr<const BlindMethod> MakeMethod(const DownsamplingSchedule& /*spec*/) {
  return nullptr;
}

}  // namespace tidemill::trainer_server
