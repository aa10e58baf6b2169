// The built-in format `binary` with a label in each record, as a plug-in, for the figure
// plugin_format_vs_builtin.
#include <cstring>

#include "tidemill/plugin.hpp"

namespace {

class Fixed : public tidemill::plugin::Format {
 public:
  static constexpr const char* kDoc = "Records of a fixed size that begin with a label.";
  Integer record_bytes{*this, "record_bytes", "Bytes of a record.", 64, {.min = 4}};

  void Read(const Piece& piece, Records& records) const override {
    const auto size = static_cast<size_t>(*record_bytes);
    for (size_t at = 0; at + size <= piece.bytes.size(); at += size) {
      int32_t label = 0;
      std::memcpy(&label, piece.bytes.data() + at, sizeof label);
      records.Add(at, at + size);
      records.SetClassLabel(label);
    }
  }
};
TIDEMILL_PLUGIN(Fixed);

}  // namespace
