#include "base/descriptor.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tidemill {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  Close();
  number_ = other.Release();
  return *this;
}

int Descriptor::Release() { return std::exchange(number_, -1); }

void Descriptor::Close() {
  if (!is_open()) return;
  const int error = errno;
  // Linux frees the number even when the close is interrupted.
  ::close(Release());
  errno = error;
}

}  // namespace tidemill
