#include "rpc/access/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <ctime>

#include "base/files.h"

namespace tidemill::rpc {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Memory = std::unique_ptr<BIO, decltype(&BIO_free)>;

Memory MemoryOf(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free};
}

absl::StatusOr<Certificate> FirstCertificate(const std::string& path, const std::string& text) {
  Certificate certificate(PEM_read_bio_X509(MemoryOf(text).get(), nullptr, nullptr, nullptr),
                          &X509_free);
  ERR_clear_error();
  if (!certificate) return InvalidArgument("{} holds no certificate in PEM formatat", path);
  return certificate;
}

absl::StatusOr<std::string> ReadCertificates(const std::string& path) {
  if (path.empty()) return std::string();
  ASSIGN_OR_RETURN(std::string text, files::Read(path, kMaxBytes));
  RETURN_IF_ERROR(FirstCertificate(path, text).status());
  return text;
}

absl::StatusOr<std::string> ReadKey(const TlsConfig& config, const std::string& certificate) {
  struct stat info = {};
  if (::stat(config.key.c_str(), &info) == 0 && (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return FailedPrecondition("{} can be read by others; run chmod 600 {}", config.key, config.key);
  }
  ASSIGN_OR_RETURN(std::string text, files::Read(config.key, kMaxBytes));
  const Key key(PEM_read_bio_PrivateKey(MemoryOf(text).get(), nullptr, nullptr, nullptr),
                &EVP_PKEY_free);
  ERR_clear_error();
  if (!key) return InvalidArgument("{} holds no private key in PEM formatat", config.key);
  ASSIGN_OR_RETURN(const Certificate first, FirstCertificate(config.certificate, certificate));
  const bool fits = X509_check_private_key(first.get(), key.get()) == 1;
  ERR_clear_error();
  if (!fits) return InvalidArgument("{} is not the key of {}", config.key, config.certificate);
  return text;
}

}  // namespace

absl::StatusOr<Tls> ReadTls(const TlsConfig& config) {
  if (config.empty()) return Tls();
  if (config.certificate.empty() != config.key.empty() || config.ca.empty()) {
    return InvalidArgument(
        "TLS needs an authority; a certificate needs its key, and a key its certificate");
  }
  TlsTexts texts;
  texts.verify = config.verify;
  ASSIGN_OR_RETURN(texts.certificate, ReadCertificates(config.certificate));
  ASSIGN_OR_RETURN(texts.ca, ReadCertificates(config.ca));
  ASSIGN_OR_RETURN(texts.client_ca, ReadCertificates(config.client_ca));
  if (!config.key.empty()) {
    ASSIGN_OR_RETURN(texts.key, ReadKey(config, texts.certificate));
  }
  return std::make_shared<const TlsTexts>(std::move(texts));
}

absl::StatusOr<Timestamp> ExpiryOf(const std::string& certificate_file) {
  ASSIGN_OR_RETURN(const std::string text, files::Read(certificate_file, kMaxBytes));
  ASSIGN_OR_RETURN(const Certificate certificate, FirstCertificate(certificate_file, text));
  std::tm time = {};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &time) != 1) {
    return InvalidArgument("{} does not say when it expires", certificate_file);
  }
  return Timestamp{static_cast<int64_t>(::timegm(&time)) * 1'000'000};
}

}  // namespace tidemill::rpc
