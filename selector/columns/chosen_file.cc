#include "selector/columns/chosen_file.h"

#include <span>
#include <utility>

#include "base/digest.h"
#include "batch/sealed_file.h"
#include "batch/wire.h"

namespace tidemill::selector {
namespace {

constexpr std::string_view kEverColumn = "ever";
constexpr std::string_view kRoundColumn = "round";

// One row that holds all bytes.
absl::Status SetBytes(std::string_view name, const std::string& bytes, batch::Batch& batch) {
  const std::span<const uint8_t> values(reinterpret_cast<const uint8_t*>(bytes.data()),
                                        bytes.size());
  return batch.Set(batch::MakeColumn<uint8_t>(name, values, {std::ssize(bytes)}));
}

absl::StatusOr<ChosenKeys> KeysOf(std::string_view name, const batch::Batch& batch) {
  ASSIGN_OR_RETURN(const batch::Column* column, batch.Get(name, batch::DataType::kUInt8));
  return ChosenKeys::Decode(column->data.view());
}

}  // namespace

void ChosenSoFar::Add(const ChosenKeys& set, bool in_rounds) {
  ChosenKeys again = in_rounds ? set.And(round) : ChosenKeys();
  ever.Add(set);
  if (again.size() > 0) {
    round = std::move(again);
  } else {
    round.Add(set);
  }
}

absl::StatusOr<UnsealedChosen> WriteChosen(const ChosenSoFar& chosen, const std::string& folder) {
  batch::Batch batch(1);
  RETURN_IF_ERROR(SetBytes(kEverColumn, chosen.ever.Encode(), batch));
  RETURN_IF_ERROR(SetBytes(kRoundColumn, chosen.round.Encode(), batch));
  const std::string bytes = batch::Encode(batch);
  UnsealedChosen unsealed{.file = nullptr, .digest = Sha256(bytes)};
  ASSIGN_OR_RETURN(unsealed.file, TemporaryFile::Create(folder));
  RETURN_IF_ERROR(unsealed.file->Append(bytes));
  RETURN_IF_ERROR(unsealed.file->Append(unsealed.digest));
  RETURN_IF_ERROR(unsealed.file->Sync());
  return unsealed;
}

absl::StatusOr<ChosenSoFar> ReadChosen(const std::string& path, const std::string& digest) {
  ASSIGN_OR_RETURN(const batch::SealedBatch file, batch::ReadSealedFile(path));
  if (file.digest != digest) {
    return DataLoss("{} does not match its SHA-256: found {}, sealed as {}", path, file.digest,
                    digest);
  }
  ChosenSoFar chosen;
  ASSIGN_OR_RETURN(chosen.ever, KeysOf(kEverColumn, file.batch));
  ASSIGN_OR_RETURN(chosen.round, KeysOf(kRoundColumn, file.batch));
  return chosen;
}

}  // namespace tidemill::selector
