#include "storage/spec/formats/file_format.h"

#include "config/spec_list.h"
#include "storage/spec/formats/format_list.h"

namespace tidemill::storage {

std::span<const config::Alternative<FileFormat>> FileFormat::Alternatives() {
  return config::Alternatives<FileFormat, FileFormatOf>(Formats());
}

}  // namespace tidemill::storage

TIDEMILL_CONFIG_TYPE(tidemill::storage::FormatSpec);
