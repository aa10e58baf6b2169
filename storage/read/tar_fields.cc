#include "storage/read/tar_fields.h"

#include <utility>

#include "records/json_fields.h"
#include "storage/formats/tar/tar_member_name.h"
#include "storage/formats/tar/tar_reader.h"

namespace tidemill::storage {

namespace {

// A larger member says nothing of its sample that a condition could look at.
constexpr int64_t kMaxJsonMember = 1 << 20;

}  // namespace

absl::StatusOr<const TarFields::Values*> TarFields::Of(const std::string& path, int64_t offset) {
  if (path != path_) {
    path_ = path;
    status_ = Open(path);
  }
  RETURN_IF_ERROR(status_);
  const auto found = by_offset_.find(offset);
  return found == by_offset_.end() ? nullptr : &samples_[found->second];
}

absl::Status TarFields::Open(const std::string& path) {
  samples_.clear();
  by_offset_.clear();
  ASSIGN_OR_RETURN(const OpenFile file, files_.Open(path));
  ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
  TarReader reader(file, identity.size_bytes);
  JsonFields fields(names_);
  std::string key;
  while (true) {
    const absl::StatusOr<std::optional<TarMember>> member = reader.Next();
    if (absl::IsDataLoss(member.status()) || (member.ok() && !*member)) return absl::OkStatus();
    RETURN_IF_ERROR(member.status());
    // Members on both sides of damage are of different samples.
    if ((*member)->kind == TarMember::Kind::kLost) key.clear();
    const std::optional<MemberName> name = SplitName((*member)->path);
    if ((*member)->kind != TarMember::Kind::kFile || !name) continue;
    if (samples_.empty() || key != name->key) {
      key = name->key;
      samples_.emplace_back(names_.size());
    }
    by_offset_.emplace((*member)->offset, samples_.size() - 1);
    const bool is_read = name->extension == "json" && (*member)->problem.empty() &&
                         (*member)->size <= kMaxJsonMember;
    if (!is_read) continue;
    std::string text;
    const absl::Status read = reader.Read(**member, [&](std::string_view bytes) { text += bytes; });
    if (!read.ok() || !fields.Read(text).ok()) continue;
    if (first_names_.empty()) first_names_ = JsonFieldNames(text);
    for (size_t i = 0; i < names_.size(); ++i) {
      const JsonValue& value = fields.values()[i];
      if (IsSingle(value)) samples_.back()[i] = std::string(value.text);
    }
  }
}

}  // namespace tidemill::storage
