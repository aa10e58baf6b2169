#include "rpc/access/own_certificate.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

#include "absl/strings/str_join.h"

namespace tidemill::rpc {
namespace {

constexpr long kCertificateSeconds = 10L * 365 * 86'400;

std::string TextOf(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return {data, static_cast<size_t>(size)};
}

bool AddNames(X509* certificate, const std::vector<std::string>& names) {
  if (names.empty()) return true;
  const std::string text = "DNS:" + absl::StrJoin(names, ",DNS:");
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, text.c_str()),
      &X509_EXTENSION_free);
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

void Describe(X509* certificate, EVP_PKEY* key) {
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -86'400);
  X509_gmtime_adj(X509_getm_notAfter(certificate), kCertificateSeconds);
  X509_NAME* const name = X509_get_subject_name(certificate);
  const auto* const common_name = reinterpret_cast<const unsigned char*>("tidemill");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common_name, -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_set_pubkey(certificate, key);
}

}  // namespace

absl::StatusOr<OwnCertificate> MakeOwnCertificate(const std::vector<std::string>& names) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"),
                                                                &EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> key_text(BIO_new(BIO_s_mem()), &BIO_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), &BIO_free);
  if (!key || !certificate || !key_text || !text) return Internal("cannot make a certificate");
  Describe(certificate.get(), key.get());
  const bool made = AddNames(certificate.get(), names) &&
                    X509_sign(certificate.get(), key.get(), EVP_sha256()) != 0 &&
                    PEM_write_bio_X509(text.get(), certificate.get()) == 1 &&
                    PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0,
                                             nullptr, nullptr) == 1;
  if (!made) return Internal("cannot make a certificate");
  return OwnCertificate{.key = TextOf(key_text.get()), .certificate = TextOf(text.get())};
}

}  // namespace tidemill::rpc
