// A certificate that is its own authority.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::rpc {

// Texts in PEM.
struct OwnCertificate {
  std::string key;
  std::string certificate;
};

// Makes a key and a certificate for these names of hosts or services, valid for ten years. INTERNAL
// when OpenSSL refuses.
absl::StatusOr<OwnCertificate> MakeOwnCertificate(const std::vector<std::string>& names);

}  // namespace tidemill::rpc
