#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/indexing.h"

namespace tidemill::fuzz {

std::vector<std::string> Seeds() {
  return {R"({"a": {"t": "2020-01-01"}, "y": 3, "x": [1, {"y": "\u00fc"}]}
{"y": "7", "a.t": "2020-01-02T00:00:00Z", "x": null}
)",
          "\xef\xbb\xbf{\"y\":1,\"a\":{\"t\":\"2020-01-01\"}}\r\n\r\n{\"y\":true}\n",
          "{\"y\": 1, \"a\": {\"t\": \"2020-01-01\", \"long\": \"" + std::string(300, 'x') +
              "\"}}\n{}\n"};
}

void Try(std::string_view input) {
  TryFormat(R"(
format: {type: jsonl, max_record: 256B}
event_time: {column: a.t}
label: {column: y}
append: true
)",
            input);
}

}  // namespace tidemill::fuzz
