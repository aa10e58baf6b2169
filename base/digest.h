// SHA-256, for the integrity of stored data.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill {

// Returns the digest in hexadecimal.
std::string Sha256(std::string_view bytes);
absl::StatusOr<std::string> Sha256OfFile(const std::string& path);

// Takes bytes piece by piece. Thread-compatible.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  void Add(std::string_view bytes);
  // Returns the digest in hexadecimal. Ends the stream.
  std::string Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill
