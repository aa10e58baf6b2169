#include "trainer_server/downsampling/spec/method_list.h"

namespace tidemill::trainer_server {

models::DownsamplingSpec NothingLeftOut() { return NoDownsampling{}; }

}  // namespace tidemill::trainer_server

namespace tidemill::models {

std::span<const config::Alternative<Downsampling>> Downsampling::Alternatives() {
  return config::Alternatives<Downsampling, trainer_server::DownsamplingOf>(
      trainer_server::Methods());
}

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::DownsamplingSpec);
