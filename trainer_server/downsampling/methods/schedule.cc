#include "trainer_server/downsampling/methods/schedule.h"

#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/downsampling/methods/none.h"

namespace tidemill::trainer_server {

std::unique_ptr<const BlindMethod> MakeMethod(const DownsamplingSchedule& /*spec*/) {
  return MakeMethod(NoDownsampling{});  // Who asks takes a step's method: MethodAt().
}

}  // namespace tidemill::trainer_server
