#include "tests/browser.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "fmt/format.h"

#include "base/files.h"

namespace tidemill::tests {

std::string Slurp(const std::string& path) {
  const auto bytes = files::Read(path);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

Shown Browse(const std::string& folder, const std::string& page, const std::string& flags) {
  const std::string command = fmt::format(
      "'{}' --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
      "--host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir='{}/browser' "
      "--enable-logging=stderr --virtual-time-budget=10000 --hide-scrollbars {} 'file://{}' "
      ">'{}/dom' 2>'{}/log'",
      CHROMIUM, folder, flags, page, folder, folder);
  EXPECT_EQ(std::system(command.c_str()), 0) << Slurp(folder + "/log");
  return {.dom = Slurp(folder + "/dom"), .log = Slurp(folder + "/log")};
}

}  // namespace tidemill::tests
