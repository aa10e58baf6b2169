// Tests of FILE_NAME.cpp:
//
//   g++ -std=c++20 FILE_NAME_test.cpp -o FILE_NAME_test && ./FILE_NAME_test
#undef NDEBUG
#include <cassert>
#include <numeric>
#include <vector>

#include "FILE_NAME.cpp"
#include "tidemill/plugin/testing.hpp"

// What it chooses from 1,500 candidates that come in pieces.
std::vector<int64_t> Chosen(size_t piece) {
  CLASS_NAME policy;
  for (size_t first = 0; first < 1500; first += piece) {
    std::vector<int64_t> keys(piece);
    std::iota(keys.begin(), keys.end(), static_cast<int64_t>(first));
    tidemill::plugin::MadeColumns columns(piece);
    columns.Add<int64_t>("key", keys);
    policy.Add(CLASS_NAME::Candidates(columns.get()));
  }
  return policy.Choose({.num_candidates = 1500}).rows;
}

int main() {
  assert(Chosen(1500).size() == 1000);
  assert(Chosen(1500) == Chosen(50));
}
