#include "storage/catalog/file_scan.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/spec/formats/format_list.h"
#include "storage/testing/any_local_files.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tidemill::testing::IsOk;

constexpr Timestamp kNow{1'000'000'000};
constexpr Duration kSettle{10'000'000};

DatasetSpec SpecOf(FormatSpec format) {
  DatasetSpec spec;
  spec.path = "/nowhere";
  spec.format = std::move(format);
  return spec;
}

ListedFile Listed(const std::string& path, int64_t modified_micros) {
  return {path, {.inode = 1, .size_bytes = 10, .modified_nanos = modified_micros * 1000}};
}

FileListing Found(std::vector<ListedFile> files) {
  return {.files = std::move(files), .identity_of = [](const std::string& path) {
            return testing::AnyLocalFiles().IdentityOf(path);
          }};
}

std::vector<std::string> PathsOf(const FileScan& scan) {
  std::vector<std::string> paths;
  for (const ChangedFile& file : scan.changed) paths.push_back(file.path);
  return paths;
}

TEST(FileScan, LeavesOutTheFilesThatBelongToOthers) {
  DatasetSpec spec = SpecOf(BinaryFormat{});
  spec.label.file.emplace();
  spec.label.file->pattern = "images";
  spec.label.file->replacement = "labels";
  const auto scan =
      CompareFiles(spec, Found({Listed("a-images", 0), Listed("a-labels", 0)}), {}, kSettle, kNow);
  ASSERT_THAT(scan, IsOk());
  EXPECT_THAT(PathsOf(*scan), ElementsAre("/nowhere/a-images"));
  DatasetSpec single = SpecOf(SingleFileFormat{});
  single.label.sidecar = ".label";
  const auto files =
      CompareFiles(single, Found({Listed("1.label", 0), Listed("1.png", 0)}), {}, kSettle, kNow);
  ASSERT_THAT(files, IsOk());
  EXPECT_THAT(PathsOf(*files), ElementsAre("/nowhere/1.png"));
}

TEST(FileScan, LeavesOutWhatHasNotSettledAndSaysWhenItWill) {
  DatasetSpec spec = SpecOf(CsvFormat{});
  const std::vector<ListedFile> listed = {
      Listed("ahead", kNow.micros + 60'000'000), Listed("old", kNow.micros - 10'000'000),
      Listed("new", kNow.micros - 4'000'000), Listed("newer", kNow.micros - 1'000'000)};
  const auto scan = CompareFiles(spec, Found(listed), {}, kSettle, kNow);
  ASSERT_THAT(scan, IsOk());
  EXPECT_THAT(PathsOf(*scan), ElementsAre("/nowhere/ahead", "/nowhere/old"));
  EXPECT_EQ(scan->num_found, 4);
  ASSERT_EQ(scan->unsettled.size(), 2U);
  EXPECT_EQ(scan->unsettled[0].path, "/nowhere/new");
  EXPECT_EQ(scan->unsettled[0].settled_at, (Timestamp{kNow.micros + 6'000'000}));
  EXPECT_EQ(scan->unsettled[1].settled_at, (Timestamp{kNow.micros + 9'000'000}));
  spec.append = true;
  const auto growing = CompareFiles(spec, Found(listed), {}, kSettle, kNow);
  ASSERT_THAT(growing, IsOk());
  EXPECT_EQ(growing->changed.size(), 4U);
}

TEST(FileScan, LeavesOutNamesThatAreNotText) {
  const DatasetSpec spec = SpecOf(CsvFormat{});
  const auto scan = CompareFiles(spec, Found({Listed("\xff.csv", 0)}), {}, kSettle, kNow);
  ASSERT_THAT(scan, IsOk());
  EXPECT_THAT(scan->changed, IsEmpty());
}

TEST(FileScan, CountsLinksAndPipesThatArePassedOver) {
  std::string root = ::testing::TempDir() + "listing_XXXXXX";
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  std::ofstream(root + "/a.csv") << "t,y\n1,1\n";
  std::filesystem::create_symlink("nowhere", root + "/b.csv");
  std::filesystem::create_directory_symlink(".", root + "/c");
  ASSERT_EQ(mkfifo((root + "/d.csv").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((root + "/pipe").c_str(), 0600), 0);  // Such files are not looked up.
  const auto listed = testing::AnyLocalFiles().List(root, "*.csv");
  ASSERT_THAT(listed, IsOk());
  EXPECT_EQ(listed->files.size(), 1U);
  EXPECT_EQ(listed->passed_over.count, 3);
  const auto scan = CompareFiles(SpecOf(CsvFormat{}), *listed, {}, kSettle, kNow);
  ASSERT_THAT(scan, IsOk());
  EXPECT_EQ(scan->passed_over.count, 3);
  EXPECT_THAT(scan->passed_over.first, ::testing::ContainsRegex("^(b[.]csv|c|d[.]csv): a "));
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace tidemill::storage
