// A format of files: where records are, and what they say.
//
//   g++ -std=c++20 -O2 -shared -fPIC -I <prefix>/include FILE_NAME.cpp -o FILE_NAME.so
//   format: {type: plugin, use: "FILE_NAME.so:CLASS_NAME", with: {record_bytes: 16}}
#include "tidemill/plugin.hpp"

class CLASS_NAME : public tidemill::plugin::Format {
 public:
  static constexpr const char* kDoc =
      "Records of a fixed size. The first byte of each is its label.";
  static constexpr const char* kVersion = "0.1";

  Integer record_bytes{*this, "record_bytes", "Bytes of a record.", 16, {.min = 1}};

  // The whole records in a piece of a file. Bytes after the last one are given again, with those
  // that follow.
  void Read(const Piece& piece, Records& records) const override {
    const auto size = static_cast<size_t>(*record_bytes);
    for (size_t at = 0; at + size <= piece.bytes.size(); at += size) {
      records.Add(at, at + size);
      records.SetClassLabel(static_cast<unsigned char>(piece.bytes[at]));
    }
  }
};
TIDEMILL_PLUGIN(CLASS_NAME);
