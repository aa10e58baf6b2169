#include "rpc/metrics_server.h"

#include <curl/curl.h>

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::rpc {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

std::string Fetch(const std::string& url) {
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  std::string body;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_NOPROXY, "*");
  curl_easy_setopt(
      curl.get(), CURLOPT_WRITEFUNCTION, +[](char* data, size_t size, size_t count, void* to) {
        static_cast<std::string*>(to)->append(data, size * count);
        return size * count;
      });
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &body);
  EXPECT_EQ(curl_easy_perform(curl.get()), CURLE_OK);
  return body;
}

TEST(MetricsServer, ShowsWhatIsCountedNow) {
  metrics::Registry registry;
  metrics::Counter& counter = registry.AddCounter({"test_read", "samples", "Samples read."});
  const auto server = MetricsServer::Start("127.0.0.1:0", registry);
  ASSERT_THAT(server, IsOk());
  counter.Add(5);
  const std::string text = Fetch("http://" + (*server)->address() + "/metrics");
  EXPECT_THAT(text, HasSubstr("# HELP tidemill_test_read_samples_total Samples read.\n"));
  EXPECT_THAT(text, HasSubstr("tidemill_test_read_samples_total 5\n"));
}

TEST(MetricsServer, SaysWhenThePortIsTaken) {
  const metrics::Registry registry;
  const auto first = MetricsServer::Start("127.0.0.1:0", registry);
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(MetricsServer::Start((*first)->address(), registry).status(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr((*first)->address())));
}

}  // namespace
}  // namespace tidemill::rpc
