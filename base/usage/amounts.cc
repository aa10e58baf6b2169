#include "base/usage/amounts.h"

namespace tidemill::usage {

Amounts& Amounts::operator+=(const Amounts& more) {
  job_nanos += more.job_nanos;
  worker_nanos += more.worker_nanos;
  service_nanos += more.service_nanos;
  for (const auto& [kind, nanos] : more.device_nanos) device_nanos[kind] += nanos;
  bytes_read += more.bytes_read;
  bytes_sent += more.bytes_sent;
  bytes_stored += more.bytes_stored;
  return *this;
}

Amounts Less(Amounts total, const Amounts& part) {
  total.job_nanos -= part.job_nanos;
  total.worker_nanos -= part.worker_nanos;
  total.service_nanos -= part.service_nanos;
  for (const auto& [kind, nanos] : part.device_nanos) {
    total.device_nanos[kind] -= nanos;
    if (total.device_nanos[kind] == 0) total.device_nanos.erase(kind);
  }
  total.bytes_read -= part.bytes_read;
  total.bytes_sent -= part.bytes_sent;
  total.bytes_stored -= part.bytes_stored;
  return total;
}

}  // namespace tidemill::usage
