#include "base/digest.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/descriptor.h"
#include "base/whole_io.h"

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
  // Neither by a link nor waiting for a pipe: a job may have written it that is not trusted.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info = {};
  if (!file.is_open() || fstat(file.number(), &info) != 0) {
    const std::string reason = std::strerror(errno);
    if (errno == ENOENT) return NotFound("cannot open {}: {}", path, reason);
    return Internal("cannot open {}: {}", path, reason);
  }
  if (!S_ISREG(info.st_mode)) return FailedPrecondition("{} is not a regular file", path);
  Sha256Stream stream;
  std::vector<char> buffer(size_t{1} << 20);
  for (;;) {
    const ssize_t count = ReadSome(file.number(), buffer);
    if (count < 0) return DataLoss("cannot read {}: {}", path, std::strerror(errno));
    if (count == 0) return stream.Finish();
    stream.Add({buffer.data(), static_cast<size_t>(count)});
  }
}

}  // namespace tidemill
