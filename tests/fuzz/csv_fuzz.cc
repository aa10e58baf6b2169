#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/indexing.h"

namespace tidemill::fuzz {

std::vector<std::string> Seeds() {
  return {"t,y,x\n2020-01-01,a,1\n2020-01-02,b,\"two\nlines\"\n",
          "\xef\xbb\xbft,y,x\r\n\"2020-01-01\",\"a\",\"say \"\"hi\"\"\"\r\n\r\n2020,c\r\n",
          "t,y,x\r2020-01-01,a,\"1\r2020-01-02,b,\"2\r\"t\",\"y\",\"x\"\rx,y,t\r1,a,2020-01-03\r",
          "t,y,x\n2020-01-01T00:00:00Z,a," + std::string(200, 'x') + "\n2020-01-01,b,\n"};
}

void Try(std::string_view input) {
  TryFormat(R"(
format: {type: csv, columns: [t, y, x], max_record: 128B}
event_time: {column: t}
label: {column: y, classes: [a, b]}
append: true
)",
            input);
}

}  // namespace tidemill::fuzz
