#include "storage/filesystems/s3_xml.h"

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::storage {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// As Amazon writes it.
constexpr std::string_view kPage = R"(<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix>a/</Prefix>
<NextContinuationToken>1ue/+=&amp;x</NextContinuationToken><KeyCount>2</KeyCount>
<IsTruncated>true</IsTruncated>
<Contents><Key>a/%C3%BC+1.csv</Key><LastModified>2026-01-31T08:00:00.000Z</LastModified>
<ETag>&quot;9b2cf5&quot;</ETag><Size>5368709120</Size><StorageClass>STANDARD</StorageClass></Contents>
<Contents><Key>a/2.csv</Key><LastModified>2026-01-31T08:00:00.123Z</LastModified>
<ETag>"x-2"</ETag><Size>0</Size></Contents></ListBucketResult>)";

TEST(S3Xml, ReadsAPageOfAListing) {
  const auto page = ParseListPage(kPage);
  ASSERT_THAT(page, IsOk());
  ASSERT_THAT(page->objects, SizeIs(2));
  EXPECT_EQ(page->objects[0].key, "a/ü 1.csv");
  EXPECT_EQ(page->objects[0].etag, "\"9b2cf5\"");
  EXPECT_EQ(page->objects[0].size_bytes, 5'368'709'120);
  EXPECT_EQ(page->objects[0].modified_nanos, 1'769'846'400'000'000'000);
  EXPECT_EQ(page->objects[1].modified_nanos, 1'769'846'400'123'000'000);
  EXPECT_EQ(page->continuation, "1ue/+=&x");
}

TEST(S3Xml, APartOfAListingIsNotAListing) {
  for (size_t size = 0; size + 1 < kPage.size(); ++size) {
    EXPECT_THAT(ParseListPage(kPage.substr(0, size)), StatusIs(absl::StatusCode::kUnavailable, _))
        << size;
  }
  for (const char* wrong :
       {"<html/>", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>"}) {
    EXPECT_THAT(ParseListPage(wrong), StatusIs(absl::StatusCode::kUnavailable, _)) << wrong;
  }
  EXPECT_THAT(ParseListPage("<ListBucketResult/>")->objects, SizeIs(0));
}

TEST(S3Xml, ReadsAnErrorAndTakesNothingElseForOne) {
  const StoreError error =
      ParseStoreError("<Error><Code>NoSuchKey</Code><Message>m</Message></Error>");
  EXPECT_EQ(error.code, "NoSuchKey");
  EXPECT_EQ(error.message, "m");
  EXPECT_EQ(ParseStoreError("").code, "");
  EXPECT_EQ(ParseStoreError("<html>no</html>").code, "");
}

}  // namespace
}  // namespace tidemill::storage
