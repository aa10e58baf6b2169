#include "rpc/usage/usage_message.h"

namespace tidemill::rpc {

usage::Amounts FromMessage(const v1::Usage& message) {
  return {.job_nanos = message.job_nanos(),
          .worker_nanos = message.worker_nanos(),
          .service_nanos = message.service_nanos(),
          .device_nanos = {message.device_nanos().begin(), message.device_nanos().end()},
          .bytes_read = message.bytes_read(),
          .bytes_sent = message.bytes_sent(),
          .bytes_stored = message.bytes_stored()};
}

v1::Usage ToMessage(const usage::Amounts& amounts) {
  v1::Usage message;
  message.set_job_nanos(amounts.job_nanos);
  message.set_worker_nanos(amounts.worker_nanos);
  message.set_service_nanos(amounts.service_nanos);
  message.mutable_device_nanos()->insert(amounts.device_nanos.begin(), amounts.device_nanos.end());
  message.set_bytes_read(amounts.bytes_read);
  message.set_bytes_sent(amounts.bytes_sent);
  message.set_bytes_stored(amounts.bytes_stored);
  return message;
}

void AddUsage(const v1::Usage& more, v1::Usage& total) {
  usage::Amounts sum = FromMessage(total);
  sum += FromMessage(more);
  total = ToMessage(sum);
}

int64_t ProcessorNanos(const v1::Usage& usage) {
  return usage.job_nanos() + usage.worker_nanos() + usage.service_nanos();
}

}  // namespace tidemill::rpc
