#include "trainer_server/downsampling/methods/method.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "trainer_server/downsampling/spec/method_list.h"

namespace tidemill::trainer_server {

Method MethodOf(const models::DownsamplingSpec& spec) {
  return config::Dispatch(Methods(), spec,
                          [](const auto& method) { return Method(MakeMethod(method)); });
}

int64_t NumKept(double fraction, int64_t count) {
  // A product that misses a whole number by its rounding is one.
  const auto kept = static_cast<int64_t>(fraction * static_cast<double>(count) + 1e-9);
  return std::min(count, std::max<int64_t>(kept, 1));
}

std::vector<int64_t> ShareOut(std::span<const int64_t> counts, int64_t k) {
  const int64_t total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  const bool one_each = k >= std::ranges::count_if(counts, [](int64_t count) { return count > 0; });
  int64_t left = std::min(k, total);
  const auto wanted = static_cast<double>(left);
  std::vector<int64_t> shares;
  std::vector<std::pair<double, size_t>> rests;  // The greatest rest first, then the first group.
  for (size_t i = 0; i < counts.size(); ++i) {
    const double exact =
        counts[i] == 0 ? 0 : wanted * static_cast<double>(counts[i]) / static_cast<double>(total);
    shares.push_back(std::min(counts[i], static_cast<int64_t>(exact)));
    if (one_each && counts[i] > 0) shares.back() = std::max<int64_t>(shares.back(), 1);
    left -= shares.back();
    rests.emplace_back(static_cast<double>(shares.back()) - exact, i);
  }
  std::sort(rests.begin(), rests.end());
  for (size_t next = 0; left > 0; next = (next + 1) % rests.size()) {
    const size_t group = rests[next].second;
    if (shares[group] == counts[group]) continue;
    ++shares[group];
    --left;
  }
  // Those that would have had none take from the greatest.
  for (; left < 0; ++left) --*std::ranges::max_element(shares);
  return shares;
}

}  // namespace tidemill::trainer_server
