#include "base/process/library_folders.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::process {
namespace {

TEST(LibraryFolders, AreWhereTheLibrariesOfThisProgramAre) {
  const std::vector<std::string> folders = LibraryFolders();
  const auto has_library = [](const std::string& folder) {
    return std::filesystem::exists(folder + "/libstdc++.so.6");
  };
  EXPECT_THAT(folders, ::testing::Contains(::testing::ResultOf(has_library, true)));
  for (const std::string& folder : folders) {
    EXPECT_EQ(std::filesystem::canonical(folder), folder) << "another name of it may be hidden";
  }
}

}  // namespace
}  // namespace tidemill::process
