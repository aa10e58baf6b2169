// The token that a caller shows.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"

namespace tidemill::rpc {

// Copies are cheap and stay the same token. Thread-safe.
class CallToken {
 public:
  // None: no method admits it.
  CallToken() = default;
  // A token that does not change. Implicit, because it is the text.
  CallToken(std::string text) : text_(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  CallToken(const char* text) : text_(text) {}             // NOLINT(google-explicit-constructor)
  // The token that a file has. Its writer replaces it before it expires (jobs/job_tokens.h), so the
  // file is read again from time to time. Returns the errors of files::Read().
  static absl::StatusOr<CallToken> OfFile(const std::string& path);

  // Returns the token to show now.
  std::string Now() const;

 private:
  struct File;

  std::string text_;
  std::shared_ptr<File> file_;
};

}  // namespace tidemill::rpc
