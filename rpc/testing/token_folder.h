// Tokens and a place for sockets, for tests.
#pragma once

#include <string>

#include "rpc/access/tokens.h"

namespace tidemill::rpc::testing {

// A test's own folder, whose path is short enough for sockets, with a token file in it. It is
// removed at the end.
class TokenFolder {
 public:
  TokenFolder();
  ~TokenFolder();
  TokenFolder(const TokenFolder&) = delete;
  TokenFolder& operator=(const TokenFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string token_file() const { return path_ + "/tokens"; }
  const Tokens& tokens() const { return tokens_; }
  std::string TokenOf(v1::Role role) const { return *tokens_.TokenOf(role); }

 private:
  std::string path_;
  Tokens tokens_;
};

}  // namespace tidemill::rpc::testing
