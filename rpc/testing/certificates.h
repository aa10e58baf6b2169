// An authority and its certificates, for tests. deploy/certificates.sh makes them.
#pragma once

#include <string>

#include "rpc/access/tls.h"

namespace tidemill::rpc::testing {

// Keeps them in a folder of the test. Thread-compatible.
class Certificates {
 public:
  // `script` is the path of deploy/certificates.sh.
  Certificates(std::string script, std::string folder);

  // Returns a certificate and key for 127.0.0.1, with the authority that signed them. With `days`
  // -1, it has expired. Aborts the test program when none can be made.
  TlsConfig Issue(const std::string& name, int days = 30) const;

  std::string ca() const { return folder_ + "/ca.pem"; }

 private:
  const std::string script_;
  const std::string folder_;
};

}  // namespace tidemill::rpc::testing
