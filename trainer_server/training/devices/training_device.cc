#include "trainer_server/training/devices/training_device.h"

#include "ATen/Context.h"
#include "ATen/Parallel.h"

namespace tidemill::trainer_server {

void MakeDeterministic(int64_t num_threads) {
  at::set_num_threads(static_cast<int>(num_threads));
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
}

}  // namespace tidemill::trainer_server
