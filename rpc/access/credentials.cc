#include "rpc/access/credentials.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "grpcpp/security/tls_certificate_verifier.h"
#include "grpcpp/security/tls_credentials_options.h"

#include "grpc/grpc.h"

namespace tidemill::rpc {
namespace {

using grpc::experimental::TlsChannelCredentialsOptions;

// The lifetime of a certificate that is used as long as its process runs.
constexpr long kCertificateSeconds = 10L * 365 * 86'400;

std::string TextOf(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return {data, static_cast<size_t>(size)};
}

// Signs itself. Empty texts when OpenSSL refuses.
grpc::SslServerCredentialsOptions::PemKeyCertPair MakeCertificate() {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"),
                                                                &EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> key_text(BIO_new(BIO_s_mem()), &BIO_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), &BIO_free);
  if (!key || !certificate || !key_text || !text) return {};
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -86'400);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kCertificateSeconds);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  const auto* const common_name = reinterpret_cast<const unsigned char*>("tidemill");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common_name, -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_set_pubkey(certificate.get(), key.get());
  const bool made = X509_sign(certificate.get(), key.get(), EVP_sha256()) != 0 &&
                    PEM_write_bio_X509(text.get(), certificate.get()) == 1 &&
                    PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0,
                                             nullptr, nullptr) == 1;
  if (!made) return {};
  return {TextOf(key_text.get()), TextOf(text.get())};
}

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
  options.pem_key_cert_pairs.push_back(MakeCertificate());
  if (options.pem_key_cert_pairs.front().cert_chain.empty()) {
    return Internal("cannot make a certificate for {}", FormatAddress(address));
  }
  return grpc::SslServerCredentials(options);
}

}  // namespace tidemill::rpc
