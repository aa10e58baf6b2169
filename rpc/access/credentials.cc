#include "rpc/access/credentials.h"

#include "grpcpp/security/tls_certificate_verifier.h"
#include "grpcpp/security/tls_credentials_options.h"

#include "grpc/grpc.h"
#include "rpc/access/own_certificate.h"

namespace tidemill::rpc {
namespace {

using grpc::experimental::TlsChannelCredentialsOptions;

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> VerifiedServerCredentials(
    const Address& address, const TlsTexts& tls) {
  if (tls.certificate.empty()) {
    return FailedPrecondition("listening on {} with TLS needs a certificate and its key",
                              FormatAddress(address));
  }
  grpc::SslServerCredentialsOptions options(
      tls.client_ca.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                            : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = tls.client_ca;
  options.pem_key_cert_pairs.push_back({tls.key, tls.certificate});
  return grpc::SslServerCredentials(options);
}

// gRPC shuts down when the last of its objects in a process goes, and then waits up to ten seconds
// for its own thread that polls, for example where the last bytes were sent by a thread that is not
// gRPC's. With this it stays until the process ends.
void KeepGrpc() {
  [[maybe_unused]] static const bool is_kept = [] {
    grpc_init();
    return true;
  }();
}

}  // namespace

std::shared_ptr<grpc::ChannelCredentials> ChannelCredentialsFor(const std::string& endpoint,
                                                                const Tls& tls) {
  KeepGrpc();
  const absl::StatusOr<Address> address = ParseAddress(endpoint);
  if (!address.ok() || address->kind == Address::Kind::kUnix) {
    return grpc::experimental::LocalCredentials(UDS);
  }
  if (tls != nullptr) {
    return grpc::SslCredentials({.pem_root_certs = tls->ca,
                                 .pem_private_key = tls->key,
                                 .pem_cert_chain = tls->certificate});
  }
  if (address->kind == Address::Kind::kLoopback) {
    return grpc::experimental::LocalCredentials(LOCAL_TCP);
  }
  TlsChannelCredentialsOptions options;
  options.set_verify_server_certs(false);
  options.set_check_call_host(false);
  options.set_certificate_verifier(std::make_shared<grpc::experimental::NoOpCertificateVerifier>());
  return grpc::experimental::TlsCredentials(options);
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> ServerCredentialsFor(
    const Address& address, const Tls& tls) {
  KeepGrpc();
  if (address.kind == Address::Kind::kUnix) {
    return grpc::experimental::LocalServerCredentials(UDS);
  }
  if (tls != nullptr) return VerifiedServerCredentials(address, *tls);
  if (address.kind == Address::Kind::kLoopback) {
    return grpc::experimental::LocalServerCredentials(LOCAL_TCP);
  }
  grpc::SslServerCredentialsOptions options;
  ASSIGN_OR_RETURN(const OwnCertificate own, MakeOwnCertificate({}));
  options.pem_key_cert_pairs.push_back({own.key, own.certificate});
  return grpc::SslServerCredentials(options);
}

}  // namespace tidemill::rpc
