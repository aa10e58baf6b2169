// Tests of FILE_NAME.cpp:
//
//   g++ -std=c++20 FILE_NAME_test.cpp -o FILE_NAME_test && ./FILE_NAME_test
#undef NDEBUG
#include <cassert>
#include <vector>

#include "FILE_NAME.cpp"
#include "tidemill/plugin/testing.hpp"

int main() {
  tidemill::plugin::MadeColumns columns(2);
  columns.Add<float>("losses", {0.5, 2});
  const CLASS_NAME score;
  assert((score.Scores(CLASS_NAME::Block(columns.get())) == std::vector<double>{0.5, 2}));
}
