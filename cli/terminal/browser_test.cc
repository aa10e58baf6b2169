#include "cli/terminal/browser.h"

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

TEST(BrowserCommands, AreThoseOfTheUserThenThatOfTheDesktop) {
  EXPECT_THAT(BrowserCommands("firefox::w3m -N %s", true),
              ElementsAre("firefox", "w3m -N %s", "xdg-open"));
  EXPECT_THAT(BrowserCommands("", true), ElementsAre("xdg-open"));
  EXPECT_THAT(BrowserCommands("lynx", false), ElementsAre("lynx"));
  EXPECT_THAT(BrowserCommands(" ", false), IsEmpty());
}

TEST(ShowInBrowser, GivesThePathAsOneWord) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "show_in_browser_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string page = folder / "a page; $(x).html";
  EXPECT_THAT(ShowInBrowser(page, {"touch"}), IsOkAndHolds(std::string("touch")));
  EXPECT_TRUE(std::filesystem::exists(page));
  EXPECT_THAT(ShowInBrowser(page, {"cp %s " + folder.string() + "/copy"}),
              ::tidemill::testing::IsOk());
  EXPECT_TRUE(std::filesystem::exists(folder / "copy"));
}

TEST(ShowInBrowser, TriesTheNextProgramAndSaysHowTheLastOneFailed) {
  EXPECT_THAT(ShowInBrowser("/page", {"false", "tidemill-no-such-program", "true"}),
              IsOkAndHolds(std::string("true")));
  EXPECT_THAT(ShowInBrowser("/page", {"false"}),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("false failed with exit code 1")));
  EXPECT_THAT(ShowInBrowser("/page", {"tidemill-no-such-program"}),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("tidemill-no-such-program")));
  EXPECT_THAT(ShowInBrowser("/page", {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no display")));
}

}  // namespace
}  // namespace tidemill::cli
