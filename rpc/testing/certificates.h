// An authority and certificates of its making, for tests. Made by deploy/certificates.sh.
#pragma once

#include <string>

#include "rpc/tls.h"

namespace tidemill::rpc::testing {

// In a folder of the test's. Thread-compatible.
class Certificates {
 public:
  // `script`: the path of deploy/certificates.sh.
  Certificates(std::string script, std::string folder);

  // A certificate and key for 127.0.0.1, with the authority that signed them. With -1 `days`
  // it has expired. Aborts the test program when none can be made.
  TlsConfig Issue(const std::string& name, int days = 30) const;

  std::string ca() const { return folder_ + "/ca.pem"; }

 private:
  const std::string script_;
  const std::string folder_;
};

}  // namespace tidemill::rpc::testing
