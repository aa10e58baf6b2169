#include "storage/client/formats/file_format.h"

#include "config/spec_list.h"
#include "storage/client/formats/format_list.h"

namespace tidemill::storage {
namespace {

// A format by what its spec says: kUnit, kPayload, kHasFields and kHasRows. Some say RecordBytes(),
// Delimited(), and Columns() with LeavesColumnsOpen() and SetColumns(), too.
template <typename Spec>
class FileFormatOf final : public config::PartOf<FileFormatOf<Spec>, FileFormat, Spec> {
 public:
  SampleUnit Unit() const override { return Spec::kUnit; }
  batch::PayloadKind Payload() const override { return Spec::kPayload; }
  bool HasFields() const override { return Spec::kHasFields; }
  bool HasRows() const override { return Spec::kHasRows; }
  std::optional<int64_t> RecordBytes() const override {
    if constexpr (requires { spec_.RecordBytes(); }) {
      return spec_.RecordBytes();
    } else {
      return std::nullopt;
    }
  }
  std::optional<DelimitedText> Delimited() const override {
    if constexpr (requires { spec_.Delimited(); }) {
      return spec_.Delimited();
    } else {
      return std::nullopt;
    }
  }
  std::span<const std::string> Columns() const override {
    if constexpr (kHasColumns) {
      return spec_.Columns();
    } else {
      return {};
    }
  }
  bool LeavesColumnsOpen() const override {
    if constexpr (kHasColumns) {
      return spec_.LeavesColumnsOpen();
    } else {
      return false;
    }
  }
  void SetColumns(std::span<const std::string> columns) override {
    if constexpr (kHasColumns) spec_.SetColumns(columns);
  }

 private:
  using config::PartOf<FileFormatOf<Spec>, FileFormat, Spec>::spec_;
  static constexpr bool kHasColumns = requires(const Spec& spec) { spec.Columns(); };
};

}  // namespace

std::span<const config::Alternative<FileFormat>> FileFormat::Alternatives() {
  return config::Alternatives<FileFormat, FileFormatOf>(Formats());
}

}  // namespace tidemill::storage

TIDEMILL_CONFIG_TYPE(tidemill::storage::FormatSpec);
