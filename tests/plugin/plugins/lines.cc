// Formats for tests: what lines.py has, in C++.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "tidemill/plugin.hpp"

namespace {

using tidemill::plugin::Format;

class Lines : public Format {
 public:
  static constexpr const char* kDoc = "Lines such as `1 1700000000000000 text`.";
  Text how{*this, "how", "What a line with !!! makes it do.", ""};

  void Read(const Piece& piece, Records& records) const override {
    if (piece.bytes.find("!!!") != std::string_view::npos) Fail();
    size_t at = 0;
    while (at < piece.bytes.size()) {
      size_t end = piece.bytes.find('\n', at);
      if (end == std::string_view::npos && !piece.is_last) break;
      end = std::min(end, piece.bytes.size());
      if (end > at) {
        records.Add(at, end);
        TakeLine(std::string(piece.bytes.substr(at, end - at)), records);
      }
      at = end + 1;
    }
    records.SetConsumed(std::min(at, piece.bytes.size()));
  }

 private:
  static bool IsNumber(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  }
  static void TakeLine(const std::string& line, Records& records) {
    const size_t blank = std::min(line.find(' '), line.size());
    const std::string label = line.substr(0, blank);
    std::string when = blank < line.size() ? line.substr(blank + 1) : "";
    when = when.substr(0, when.find(' '));
    if (!IsNumber(when) || !(IsNumber(label) || label == "?")) {
      records.Reject("'" + line + "' is not a line with a label and a time");
    }
    if (IsNumber(label)) records.SetClassLabel(std::stoll(label));
    if (IsNumber(when)) records.SetEventTime(std::stoll(when));
  }
  void Fail() const {
    std::puts("about to fail");
    std::fflush(stdout);
    const std::string how_to = static_cast<std::string>(how);
    if (how_to == "throw") throw std::runtime_error("thrown on purpose");
    if (how_to == "crash") std::abort();
    while (how_to == "hang") std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
};
TIDEMILL_PLUGIN(Lines);

class Sized : public Format {
 public:
  static constexpr const char* kDoc = "Records of equal size, which is at the file's beginning.";
  size_t HeadBytes() const override { return 2; }

  void Read(const Piece& piece, Records& records) const override {
    const auto byte = [](char c) { return static_cast<size_t>(static_cast<unsigned char>(c)); };
    const size_t size = byte(piece.head[0]) + 256 * byte(piece.head[1]);
    for (size_t at = piece.offset == 0 ? 2 : 0; at + size <= piece.bytes.size(); at += size) {
      records.Add(at, at + size);
      records.SetClassLabel(static_cast<int64_t>(byte(piece.bytes[at])));
    }
  }
};
TIDEMILL_PLUGIN(Sized);

}  // namespace
