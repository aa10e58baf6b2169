#include "rpc/usage/money.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "rpc/usage/prices_config.h"
#include "rpc/usage/usage_message.h"

namespace tidemill::rpc {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kHour = int64_t{3600} * 1'000'000'000;

v1::Usage SomeUsage() {
  return ToMessage({.job_nanos = kHour,
                    .worker_nanos = kHour / 2,
                    .service_nanos = kHour / 2,
                    .device_nanos = {{"cuda", 2 * kHour}},
                    .bytes_sent = 3'000'000'000,
                    .bytes_stored = 500'000'000});
}

v1::Prices PricesOf(const std::string& yaml) {
  const auto config = config::ReadSection<PricesConfig>(yaml, "c.yaml", "prices");
  EXPECT_TRUE(config.ok()) << config.status().ToString();
  return config.ok() ? config->ToMessage().value_or(v1::Prices()) : v1::Prices();
}

TEST(Money, IsTheSumOfWhatHasAPrice) {
  const v1::Prices prices = PricesOf(
      "prices: {currency: EUR, processor_hour: 0.04, device_hour: {cuda: 2.5}, gigabyte_sent: "
      "0.02, "
      "gigabyte_stored_month: 0.02}");
  const Money money = MoneyOf(SomeUsage(), prices);
  EXPECT_THAT(money.once, DoubleEq(2 * 0.04 + 2 * 2.5 + 3 * 0.02));
  EXPECT_THAT(money.monthly, DoubleEq(0.01));
  EXPECT_THAT(money.unpriced, IsEmpty());
}

TEST(Money, TakesThePriceOfAnyGpuForOneThatIsNotNamed) {
  const v1::Usage used = ToMessage({.device_nanos = {{"a card", kHour}, {"another", kHour}}});
  EXPECT_EQ(
      MoneyOf(used, PricesOf("prices: {currency: EUR, device_hour: {cuda: 2, another: 5}}")).once,
      7);
}

TEST(Money, SaysWhichDevicesHaveNoPrice) {
  const v1::Prices prices = PricesOf("prices: {currency: EUR, device_hour: {h100: 4}}");
  const Money money = MoneyOf(SomeUsage(), prices);
  EXPECT_EQ(money.once, 0);
  EXPECT_THAT(money.unpriced, ElementsAre("cuda"));
}

TEST(Prices, AreNoneWithoutTheSection) {
  EXPECT_FALSE(config::ReadSection<PricesConfig>("", "c.yaml", "prices")->ToMessage());
}

TEST(Prices, ThatMeanNothingAreRefused) {
  const auto refused = [](const std::string& yaml) {
    return std::string(
        config::ReadSection<PricesConfig>(yaml, "c.yaml", "prices").status().message());
  };
  EXPECT_THAT(refused("prices: {currency: EUR, processor_hour: -1}"), HasSubstr("processor_hour"));
  EXPECT_THAT(refused("prices: {currency: EUR, device_hour: {cuda: -2}}"),
              HasSubstr("the price of cuda is -2, which is below 0"));
  EXPECT_THAT(refused("prices: {processor_hour: 0.04}"), HasSubstr("currency: EUR"));
  EXPECT_THAT(refused("prices: {currency: EUR}"), HasSubstr("no price is in it"));
  EXPECT_THAT(refused("prices: {currency: EUR, processor_hours: 1}"), HasSubstr("processor_hours"));
}

TEST(Usage, SurvivesItsMessage) {
  const usage::Amounts amounts = FromMessage(SomeUsage());
  EXPECT_EQ(FromMessage(ToMessage(amounts)), amounts);
  v1::Usage sum = SomeUsage();
  AddUsage(SomeUsage(), sum);
  EXPECT_EQ(ProcessorNanos(sum), 4 * kHour);
  EXPECT_EQ(sum.device_nanos().at("cuda"), 4 * kHour);
}

}  // namespace
}  // namespace tidemill::rpc
