// The batches that a reader of Python gets, as C++ has them: a yardstick for python/tests.
//
//   batch_sums REQUEST PIPELINE COUNT
//
// REQUEST and PIPELINE are files with what tidemill.arrays gives the native module. Prints for each
// of the first COUNT batches its epoch, its index, and the SHA-256 of each column's bytes.
#include <cstdlib>
#include <string>

#include "fmt/format.h"

#include "base/digest.h"
#include "base/files.h"
#include "config/config.h"
#include "python/native/batch_reader.h"
#include "python/native/read_request.h"

namespace tidemill::tests {
namespace {

absl::Status PrintBatches(const std::string& request_file, const std::string& pipeline_file,
                          int64_t count) {
  ASSIGN_OR_RETURN(const std::string text, files::Read(request_file));
  ASSIGN_OR_RETURN(const std::string pipeline, files::Read(pipeline_file));
  ASSIGN_OR_RETURN(const auto request, config::Read<python::ReadRequest>(text, request_file));
  ASSIGN_OR_RETURN(const auto reader, python::BatchReader::Open(request, pipeline, {}));
  while (count > 0) {
    ASSIGN_OR_RETURN(const auto taken, reader->Next(std::chrono::seconds{1}));
    if (!taken.is_ready) continue;
    if (!taken.batch) return absl::OkStatus();
    fmt::print("{} {}", taken.batch->epoch, taken.batch->index);
    for (const batch::Column& column : taken.batch->rows.columns()) {
      fmt::print(" {}={}", column.name, Sha256(column.data.view()));
    }
    fmt::print("\n");
    --count;
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tidemill::tests

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: batch_sums REQUEST PIPELINE COUNT\n");
    return 2;
  }
  const absl::Status status =
      tidemill::tests::PrintBatches(argv[1], argv[2], std::strtoll(argv[3], nullptr, 10));
  if (status.ok()) return 0;
  fmt::print(stderr, "batch_sums: {}\n", std::string(status.message()));
  return 1;
}
