#include "rpc/testing/token_folder.h"

#include <cstdio>
#include <cstdlib>

#include "base/files.h"

namespace tidemill::rpc::testing {

TokenFolder::TokenFolder() {
  char folder[] = "/tmp/tidemill-rpc-XXXXXX";
  path_ = ::mkdtemp(folder);
  absl::Status status = Tokens::Create(token_file());
  if (status.ok()) {
    auto tokens = Tokens::Read(token_file());
    status = tokens.status();
    if (tokens.ok()) tokens_ = *std::move(tokens);
  }
  if (!status.ok()) {
    std::fprintf(stderr, "no tokens for tests: %s\n", status.ToString().c_str());
    std::abort();
  }
}

TokenFolder::~TokenFolder() { files::Remove(path_).IgnoreError(); }

}  // namespace tidemill::rpc::testing
