#include "rpc/testing/certificates.h"

#include <cstdio>
#include <cstdlib>

#include "fmt/format.h"

namespace tidemill::rpc::testing {

Certificates::Certificates(std::string script, std::string folder)
    : script_(std::move(script)), folder_(std::move(folder)) {}

TlsConfig Certificates::Issue(const std::string& name, int days) const {
  const std::string command = fmt::format("DAYS={} '{}' '{}' {}", days, script_, folder_, name);
  if (std::system(command.c_str()) != 0) {
    std::fprintf(stderr, "no certificates for tests: %s failed\n", command.c_str());
    std::abort();
  }
  return {.certificate = fmt::format("{}/{}.pem", folder_, name),
          .key = fmt::format("{}/{}.key", folder_, name),
          .ca = ca(),
          .client_ca = {}};
}

}  // namespace tidemill::rpc::testing
