#include "prepared/prepared_config.h"

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::prepared {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

absl::StatusOr<PreparedConfig> Read(std::string_view text) {
  return config::ReadSection<PreparedConfig>(text, "c.yaml", "prepared");
}

TEST(PreparedConfig, AnObjectStoreIsNamedByItsFolder) {
  const auto config = Read("prepared: {object_store: s3://bucket/rows, object_store_bytes: 2GiB}");
  ASSERT_THAT(config, IsOk());
  const HostStoreOptions options = OptionsOf(*config, "/state");
  EXPECT_EQ(options.object_store, "s3://bucket/rows");
  EXPECT_EQ(options.object_store_bytes, int64_t{2} << 30);
}

TEST(PreparedConfig, ABudgetWithoutAStoreIsRefusedWithItsLine) {
  EXPECT_THAT(Read("prepared:\n  object_store_bytes: 2GiB\n"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("c.yaml:2:23: error: prepared.object_store_bytes: does nothing")));
  EXPECT_THAT(Read("prepared: {object_store: /tmp/rows}"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("s3://bucket/folder")));
}

}  // namespace
}  // namespace tidemill::prepared
