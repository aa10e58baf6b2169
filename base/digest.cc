#include "base/digest.h"

#include <openssl/evp.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace tidemill {

struct Sha256Stream::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) {
  EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr);
}

Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::Add(std::string_view bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

std::string Sha256Stream::Finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(state_->context, digest, &size);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(size_t{2} * size);
  for (unsigned int i = 0; i < size; ++i) {
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

std::string Sha256(std::string_view bytes) {
  Sha256Stream stream;
  stream.Add(bytes);
  return stream.Finish();
}

absl::StatusOr<std::string> Sha256OfFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (file == nullptr) {
    const std::string reason = std::strerror(errno);
    if (errno == ENOENT) return NotFound("cannot open {}: {}", path, reason);
    return Internal("cannot open {}: {}", path, reason);
  }
  Sha256Stream stream;
  std::vector<char> buffer(size_t{1} << 20);
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    stream.Add({buffer.data(), count});
  }
  if (std::ferror(file.get()) != 0)
    return DataLoss("cannot read {}: {}", path, std::strerror(errno));
  return stream.Finish();
}

}  // namespace tidemill
