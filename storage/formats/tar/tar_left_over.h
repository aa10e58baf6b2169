// Counts the members of an archive that no sample uses, and the samples whose members are not
// adjacent, with the reasons.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/formats/format.h"
#include "storage/formats/tar/tar_member_name.h"

namespace tidemill::storage {

// Counts them for one archive. Thread-compatible.
class TarLeftOver {
 public:
  // A member whose name has no extension.
  void AddNameless(std::string_view path);
  // The members of a group that the spec does not name. `is_sample`: the spec names other members
  // of the group. `has_named_end`: the spec names the last part of an extension.
  void AddUnused(std::string_view key, bool is_sample, bool has_named_end, int64_t num_members,
                 std::string_view first_path);
  // A group with a label or a time but without a payload; and the reverse.
  void AddWithoutPayload(std::string_view key);
  void AddPayloadAlone(std::string_view key);

  // Adds the counts to `found` as remarks, which cost no record.
  void Tell(IndexedFile& found);

 private:
  struct Count {
    int64_t num_members = 0;
    std::string first;
  };
  // Half a sample: hashes of its key, and of the last part of its key.
  struct Half {
    uint64_t key = 0;
    uint64_t name = 0;
  };
  struct Halves {
    std::vector<Half> all;
    std::string first_key;
    void Add(std::string_view key);
  };
  // Returns how many of `halves_` have their other half elsewhere.
  int64_t CountSplit(uint64_t Half::*part);
  void ReportSplit(IndexedFile& found);

  bool MissesSamples(const IndexedFile& found) const;

  Count of_no_sample_;
  bool has_named_end_ = false;
  Count unused_;
  Halves without_payload_;
  Halves payload_alone_;
};

}  // namespace tidemill::storage
