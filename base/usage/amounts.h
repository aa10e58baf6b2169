// The priced resources that work uses.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tidemill::usage {

// Amounts that are added up; protos/tidemill/rpc/v1/usage.proto says what each one is. A value.
struct Amounts {
  int64_t job_nanos = 0;
  int64_t worker_nanos = 0;
  int64_t service_nanos = 0;
  std::map<std::string, int64_t> device_nanos = {};
  int64_t bytes_read = 0;
  int64_t bytes_sent = 0;
  int64_t bytes_stored = 0;

  Amounts& operator+=(const Amounts& more);
  friend bool operator==(const Amounts&, const Amounts&) = default;
};

// Returns `total` less `part`, which it contains.
Amounts Less(Amounts total, const Amounts& part);

}  // namespace tidemill::usage
