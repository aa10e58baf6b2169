#include "transform/script_rules/script_file.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"

#include "base/printable.h"
#include "transform/script_rules/code_check.h"
#include "transform/script_rules/pickle_check.h"

namespace tidemill::models {
namespace {

constexpr std::string_view kCode = "code/";
constexpr std::string_view kSource = ".py";
constexpr std::string_view kPickle = ".pkl";
constexpr std::string_view kPositions = ".debug_pkl";

// Folders and records that TorchScript writes beside code and pickles. The inputs of a trace are
// not read here, and do not hold the numbers that they claim.
constexpr auto kFolders = std::to_array<std::string_view>(
    {"data/", "constants/", "traced_inputs/", "extra/", ".data/", "bytecode/"});
constexpr auto kRecords = std::to_array<std::string_view>(
    {"version", "byteorder", "traced_inputs.pkl", ".format_version", ".storage_alignment"});

enum class Part { kSourceFile, kObjects, kOther, kUnknown };

bool IsPickle(std::string_view name) {
  return (name.ends_with(kPickle) && name.find('/') == std::string_view::npos) ||
         (name.starts_with(kCode) && name.ends_with(kPositions));
}

Part PartOf(std::string_view name) {
  if (std::ranges::find(kRecords, name) != kRecords.end()) return Part::kOther;
  if (IsPickle(name)) return Part::kObjects;
  if (name.starts_with(kCode)) return name.ends_with(kSource) ? Part::kSourceFile : Part::kUnknown;
  const bool is_known = std::ranges::any_of(
      kFolders, [&](std::string_view folder) { return name.starts_with(folder); });
  return is_known ? Part::kOther : Part::kUnknown;
}

class Records {
 public:
  Records(const std::vector<ScriptRecord>& records, const ReadScriptRecord& read)
      : records_(records), read_(read) {}

  absl::Status Check() {
    RETURN_IF_ERROR(CheckNames());
    std::vector<CodeFile> code;
    uint64_t code_bytes = 0;
    for (size_t i = 0; i < records_.size(); ++i) {
      const Part part = PartOf(records_[i].name);
      if (part == Part::kOther) continue;
      code_bytes = part == Part::kSourceFile ? code_bytes + records_[i].size : code_bytes;
      if (records_[i].size > kMaxCodeBytes || code_bytes > kMaxCodeBytes) {
        return InvalidArgument(
            "{} has {} bytes; a script may have {} bytes of code, and as many in "
            "a pickle",
            records_[i].name, records_[i].size, kMaxCodeBytes);
      }
      ASSIGN_OR_RETURN(std::optional<std::string> bytes, read_(i));
      if (!bytes) continue;
      if (part == Part::kObjects) {
        RETURN_IF_ERROR(CheckPickleOf(records_[i].name, *bytes));
      } else {
        code.push_back({.name = records_[i].name, .text = *std::move(bytes)});
      }
    }
    return CheckCode(code);
  }

 private:
  // libtorch finds records without regard to capitals: of two it might read the other one.
  absl::Status CheckNames() {
    absl::flat_hash_set<std::string> seen;
    for (const ScriptRecord& record : records_) {
      const Part part = PartOf(record.name);
      const std::string name = Printable(record.name);
      if (part == Part::kUnknown || name != record.name) {
        return InvalidArgument("it holds {}, which TorchScript does not write", name);
      }
      if (!seen.insert(absl::AsciiStrToLower(record.name)).second) {
        return InvalidArgument("it holds {} twice", name);
      }
      sizes_[record.name] = record.size;
    }
    return absl::OkStatus();
  }

  absl::Status CheckPickleOf(const std::string& name, const std::string& bytes) const {
    // The numbers of "data.pkl" are in "data/".
    const std::string folder = name.substr(0, name.size() - kPickle.size()) + "/";
    const StorageSize size_of = [&](const std::string& key) -> std::optional<uint64_t> {
      const auto it = sizes_.find(folder + key);
      if (it == sizes_.end()) return std::nullopt;
      return it->second;
    };
    const absl::Status checked = CheckPickle(bytes, size_of);
    return checked.ok() ? checked : Annotate(checked, name);
  }

  const std::vector<ScriptRecord>& records_;
  const ReadScriptRecord& read_;
  absl::flat_hash_map<std::string, uint64_t> sizes_;
};

}  // namespace

absl::Status CheckScript(const std::vector<ScriptRecord>& records, const ReadScriptRecord& read) {
  return Records(records, read).Check();
}

}  // namespace tidemill::models
