// Tests of FILE_NAME.cpp:
//
//   g++ -std=c++20 FILE_NAME_test.cpp -o FILE_NAME_test && ./FILE_NAME_test
#undef NDEBUG
#include <cassert>
#include <vector>

#include "FILE_NAME.cpp"
#include "tidemill/plugin/testing.hpp"

int main() {
  CLASS_NAME op;
  const std::vector<CLASS_NAME::ColumnType> outputs = op.Outputs({{.name = "x"}});
  tidemill::plugin::MadeColumns columns(3);
  columns.Add<float>("x", {1, 2, 3});
  op.Fit(CLASS_NAME::Columns(columns.get()));
  // Where the numbers of its outputs go.
  std::vector<float> relative(3);
  void* const numbers[] = {relative.data()};
  TidemillMade made = {};
  made.size = sizeof made;
  made.numbers = numbers;
  made.num_outputs = 1;
  op.Apply(CLASS_NAME::Columns(columns.get()), {made, outputs, 3});
  assert((relative == std::vector<float>{0.5, 1, 1.5}));
}
