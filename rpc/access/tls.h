// Certificates between services on a network.
//
//   cluster:
//     tls: {certificate: storage.pem, key: storage.key, ca: ca.pem, client_ca: ca.pem}
//
// A server on TCP presents its certificate. Clients verify it, with the host that they called,
// against the authority in `ca`. With `client_ca`, a server also requires a certificate of that
// authority from every client. In either case, tokens decide what a caller may do. UNIX sockets
// need no certificates, because the kernel connects both ends. Files are read when a process
// starts.
//
// With `verify: service`, the certificate is one of a service, whatever host it runs on: it names
// `preprocess-worker`, not the host or the address. So processes may start and end on hosts
// that an engine chooses.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/time.h"
#include "config/config.h"

namespace tidemill::rpc {

// What the certificate of a server must name.
enum class VerifiedName {
  kHost,     // The host or the address that was called.
  kService,  // The service: "preprocess-worker".
};

}  // namespace tidemill::rpc

template <>
struct tidemill::config::EnumNames<tidemill::rpc::VerifiedName> {
  static constexpr std::pair<tidemill::rpc::VerifiedName, std::string_view> kNames[] = {
      {tidemill::rpc::VerifiedName::kHost, "host"},
      {tidemill::rpc::VerifiedName::kService, "service"}};
};

namespace tidemill::rpc {

// The `tls` section: the paths of PEM files. When all are empty, there is no TLS.
struct TlsConfig {
  std::string certificate;
  std::string key;
  std::string ca;
  std::string client_ca;
  VerifiedName verify = VerifiedName::kHost;

  bool empty() const { return certificate.empty() && key.empty() && ca.empty(); }

  void Fields(auto&& field) {
    field("certificate", certificate,
          "This process's certificate and the certificates between it and `ca`.");
    field("key", key,
          "The certificate's private key. Only this process's user may be able to read it.");
    field("ca", ca, "The authority whose certificates are trusted.");
    field("client_ca", client_ca,
          "Servers refuse clients without a certificate of this authority.");
    field("verify", verify,
          "What the certificate of a server must name: the `host` that was called, or the "
          "`service`, such as `preprocess-worker`. Use the latter where an engine or Kubernetes "
          "chooses hosts.");
  }
  void Check(config::Problems& problems) const {
    if (certificate.empty() != key.empty()) {
      problems.Add("", "needs both `certificate` and `key`, or neither", "name two PEM files");
    }
    if (ca.empty() && !(certificate.empty() && client_ca.empty())) {
      problems.Add("ca", "is missing", "name the PEM file of the authority that signed");
    }
  }
  friend bool operator==(const TlsConfig&, const TlsConfig&) = default;
};

// The contents of the files. A value.
struct TlsTexts {
  std::string certificate;
  std::string key;
  std::string ca;
  std::string client_ca;
  VerifiedName verify = VerifiedName::kHost;
};
// Shared by all connections of a process. nullptr without TLS.
using Tls = std::shared_ptr<const TlsTexts>;

// Reads the files. Returns nullptr for an empty config. NOT_FOUND and similar codes name the file.
// INVALID_ARGUMENT when a file has no certificate, when the key belongs to another certificate, or
// for half a config. FAILED_PRECONDITION when others can read the key. An expired certificate is
// accepted here: the other end refuses it.
absl::StatusOr<Tls> ReadTls(const TlsConfig& config);

// Returns when the first certificate of a PEM file expires.
absl::StatusOr<Timestamp> ExpiryOf(const std::string& certificate_file);

}  // namespace tidemill::rpc
