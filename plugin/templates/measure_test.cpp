// Tests of FILE_NAME.cpp:
//
//   g++ -std=c++20 FILE_NAME_test.cpp -o FILE_NAME_test && ./FILE_NAME_test
#undef NDEBUG
#include <cassert>
#include <vector>

#include "FILE_NAME.cpp"
#include "tidemill/plugin/testing.hpp"

int main() {
  tidemill::plugin::MadeColumns columns(3);
  columns.Add<int64_t>("label", {0, 0, 1}).Add<int64_t>("prediction", {0, 1, 0});
  const CLASS_NAME measure;
  std::vector<double> cost(3);
  measure.Contribute(CLASS_NAME::Block(columns.get()), {cost, 1});
  assert((cost == std::vector<double>{0, 1, 5}));
}
