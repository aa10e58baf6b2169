#include "trainer_server/downsampling/spec/schedule.h"

#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/downsampling/spec/none.h"

namespace tidemill::trainer_server {

std::unique_ptr<const BlindMethod> MakeMethod(const DownsamplingSchedule& /*spec*/) {
  return MakeMethod(NoDownsampling{});  // Callers use the method of a step: MethodAt().
}

}  // namespace tidemill::trainer_server
