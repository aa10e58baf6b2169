#include "plugin/process/shared_columns.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "plugin/spec/json_fields.h"

namespace tidemill::plugin {
namespace {

using batch::Buffer;
using batch::Column;
using batch::DataType;
using nlohmann::json;

constexpr size_t kMaxColumns = 1000;

// F_SEAL_FUTURE_WRITE, which Debian 12's headers do not all have.
constexpr int kSealFutureWrite = 0x0010;

constexpr std::array kTypes = {DataType::kInt64,   DataType::kInt32,   DataType::kUInt8,
                               DataType::kFloat32, DataType::kFloat64, DataType::kBinary};

int64_t Aligned(int64_t offset) {
  constexpr auto kAlignment = static_cast<int64_t>(batch::kBufferAlignment);
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

int64_t NumRows(std::span<const RowRun> runs) {
  int64_t count = 0;
  for (const RowRun& run : runs) count += run.count;
  return count;
}

// A column, without where it is.
json SaidOf(const Column& column) {
  return {{"name", column.name},
          {"type", std::string(batch::NameOf(column.type))},
          {"shape", column.shape}};
}

// Reads one column of an answer.
class ColumnReader {
 public:
  ColumnReader(const json& said, int64_t num_rows,
               const std::shared_ptr<const SharedMemory>& memory)
      : said_(said), num_rows_(num_rows), memory_(memory) {}

  absl::StatusOr<Column> Read() {
    if (!said_.is_object() || !said_.contains("name") || !said_["name"].is_string()) {
      return InvalidArgument("a column of the answer has no name");
    }
    column_.name = said_["name"].get<std::string>();
    RETURN_IF_ERROR(ReadType());
    RETURN_IF_ERROR(ReadShape());
    RETURN_IF_ERROR(column_.type == DataType::kBinary ? ReadStrings() : ReadNumbers());
    if (said_.contains("validity_at")) {
      ASSIGN_OR_RETURN(column_.validity, BytesAt("validity_at", (num_rows_ + 7) / 8));
    }
    return std::move(column_);
  }

 private:
  absl::Status ReadType() {
    const auto type = said_.find("type");
    for (const DataType known : kTypes) {
      if (type == said_.end() || *type != std::string(batch::NameOf(known))) continue;
      column_.type = known;
      return absl::OkStatus();
    }
    return InvalidArgument("the column {} has no known type", column_.name);
  }

  absl::Status ReadShape() {
    const auto shape = said_.find("shape");
    if (shape == said_.end()) return absl::OkStatus();
    const bool is_shape = shape->is_array() && shape->size() <= batch::kMaxDimensions &&
                          std::ranges::all_of(*shape, [](const json& size) {
                            return size.is_number_integer() && size.get<int64_t>() > 0 &&
                                   size.get<int64_t>() < 1 << 30;
                          });
    if (!is_shape) return InvalidArgument("the column {} has no valid shape", column_.name);
    for (const json& size : *shape) column_.shape.push_back(size.get<int64_t>());
    return absl::OkStatus();
  }

  absl::Status ReadNumbers() {
    int64_t bytes = num_rows_ * static_cast<int64_t>(batch::SizeOf(column_.type));
    for (const int64_t size : column_.shape) {
      if (bytes > memory_->size()) break;
      bytes *= size;
    }
    ASSIGN_OR_RETURN(column_.data, BytesAt("at", bytes));
    return absl::OkStatus();
  }

  // The offsets are copied, because they must not change once they were checked.
  absl::Status ReadStrings() {
    const int64_t bytes = (num_rows_ + 1) * static_cast<int64_t>(sizeof(int64_t));
    ASSIGN_OR_RETURN(const Buffer said, BytesAt("offsets_at", bytes));
    column_.offsets = Buffer::AllocateUnwritten(static_cast<size_t>(bytes));
    std::memcpy(column_.offsets.mutable_data(), said.data(), static_cast<size_t>(bytes));
    const auto offsets = column_.offsets.As<int64_t>();
    if (offsets.front() != 0 || !std::ranges::is_sorted(offsets)) {
      return InvalidArgument("the offsets of the column {} do not ascend from 0", column_.name);
    }
    ASSIGN_OR_RETURN(column_.data, BytesAt("at", offsets.back()));
    return absl::OkStatus();
  }

  absl::StatusOr<Buffer> BytesAt(const char* key, int64_t size) const {
    const auto at = CountAt(said_, key);
    if (!at || *at % static_cast<int64_t>(batch::kBufferAlignment) != 0 || *at > memory_->size() ||
        size > memory_->size() - *at) {
      return InvalidArgument("the column {} is not within the memory for answers", column_.name);
    }
    return Buffer::Wrap(memory_->data() + *at, static_cast<size_t>(size), memory_);
  }

  const json& said_;
  const int64_t num_rows_;
  const std::shared_ptr<const SharedMemory>& memory_;
  Column column_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SharedMemory>> SharedMemory::Create(const char* name, int64_t bytes,
                                                                   Writer writer) {
  Descriptor memory(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.is_open() || ftruncate(memory.number(), bytes) != 0) {
    return ResourceExhausted("cannot allocate {} bytes of shared memory: {}", bytes,
                             strerror(errno));
  }
  std::unique_ptr<SharedMemory> made(new SharedMemory(std::move(memory), bytes));
  const int access = writer == Writer::kThisProcess ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const mapped =
      mmap(nullptr, static_cast<size_t>(bytes), access, MAP_SHARED, made->number(), 0);
  if (mapped == MAP_FAILED) return ResourceExhausted("cannot map memory: {}", strerror(errno));
  made->data_ = static_cast<std::byte*>(mapped);
  int seals = F_SEAL_SHRINK | F_SEAL_GROW;
  if (writer == Writer::kThisProcess) seals |= kSealFutureWrite;
  if (fcntl(made->number(), F_ADD_SEALS, seals | F_SEAL_SEAL) != 0) {
    return ResourceExhausted("cannot seal memory: {}", strerror(errno));
  }
  return made;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, static_cast<size_t>(size_));
}

std::vector<RowRun> RunsOf(std::span<const int64_t> rows) {
  std::vector<RowRun> runs;
  for (const int64_t row : rows) {
    if (!runs.empty() && row == runs.back().first + runs.back().count) {
      ++runs.back().count;
    } else {
      runs.push_back({row, 1});
    }
  }
  return runs;
}

absl::StatusOr<int64_t> ColumnWriter::Reserve(int64_t size) {
  const int64_t at = Aligned(end_);
  if (at > memory_.size() || size > memory_.size() - at) {
    return ResourceExhausted("its columns need more than {} bytes", memory_.size());
  }
  end_ = at + size;
  return at;
}

absl::Status ColumnWriter::Append(const Buffer& buffer) {
  const auto size = static_cast<int64_t>(buffer.size());
  if (end_ > memory_.size() || size > memory_.size() - end_) {
    return ResourceExhausted("its columns need more than {} bytes", memory_.size());
  }
  if (size > 0) std::memcpy(memory_.data() + end_, buffer.data(), buffer.size());
  end_ += size;
  return absl::OkStatus();
}

absl::StatusOr<json> ColumnWriter::AddPieces(std::span<const batch::Batch> pieces) {
  if (pieces.empty()) return InvalidArgument("there are no pieces");
  json columns = json::array();
  for (const Column& first : pieces.front().columns()) {
    json said = SaidOf(first);
    ASSIGN_OR_RETURN(said["at"], Reserve(0));
    for (const batch::Batch& piece : pieces) {
      ASSIGN_OR_RETURN(const Column* column, piece.Get(first.name, first.type));
      if (column->shape != first.shape || column->type == DataType::kBinary ||
          !column->validity.empty()) {
        return InvalidArgument("the pieces of the column {} do not fit together", first.name);
      }
      RETURN_IF_ERROR(Append(column->data));
    }
    columns.push_back(std::move(said));
  }
  int64_t rows = 0;
  for (const batch::Batch& piece : pieces) rows += piece.num_rows();
  return json{{"rows", rows}, {"columns", std::move(columns)}};
}

absl::StatusOr<int64_t> ColumnWriter::Place(const Buffer& buffer) {
  ASSIGN_OR_RETURN(const int64_t at, Reserve(static_cast<int64_t>(buffer.size())));
  if (!buffer.empty()) std::memcpy(memory_.data() + at, buffer.data(), buffer.size());
  return at;
}

absl::StatusOr<int64_t> ColumnWriter::PlaceNumbers(const Column& column,
                                                   std::span<const RowRun> runs) {
  const int64_t row_bytes = column.Width() * static_cast<int64_t>(batch::SizeOf(column.type));
  ASSIGN_OR_RETURN(const int64_t at, Reserve(NumRows(runs) * row_bytes));
  std::byte* to = memory_.data() + at;
  for (const RowRun& run : runs) {
    const auto bytes = static_cast<size_t>(run.count * row_bytes);
    std::memcpy(to, column.data.data() + run.first * row_bytes, bytes);
    to += bytes;
  }
  return at;
}

absl::Status ColumnWriter::PlaceStrings(const Column& column, std::span<const RowRun> runs,
                                        json& said) {
  const auto from = column.offsets.As<int64_t>();
  ASSIGN_OR_RETURN(const int64_t offsets_at,
                   Reserve((NumRows(runs) + 1) * static_cast<int64_t>(sizeof(int64_t))));
  auto* offset = reinterpret_cast<int64_t*>(memory_.data() + offsets_at);
  int64_t end = 0;
  *offset++ = 0;
  for (const RowRun& run : runs) {
    const int64_t shift = end - from[static_cast<size_t>(run.first)];
    for (int64_t row = run.first; row < run.first + run.count; ++row) {
      *offset++ = end = from[static_cast<size_t>(row) + 1] + shift;
    }
  }
  ASSIGN_OR_RETURN(const int64_t at, Reserve(end));
  std::byte* to = memory_.data() + at;
  for (const RowRun& run : runs) {
    const int64_t begin = from[static_cast<size_t>(run.first)];
    const auto bytes =
        static_cast<size_t>(from[static_cast<size_t>(run.first + run.count)] - begin);
    if (bytes > 0) std::memcpy(to, column.data.data() + begin, bytes);
    to += bytes;
  }
  said["at"] = at;
  said["offsets_at"] = offsets_at;
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ColumnWriter::PlaceValidity(const Column& column,
                                                    std::span<const RowRun> runs) {
  const int64_t bytes = (NumRows(runs) + 7) / 8;
  ASSIGN_OR_RETURN(const int64_t at, Reserve(bytes));
  std::byte* const bits = memory_.data() + at;
  std::memset(bits, 0, static_cast<size_t>(bytes));
  int64_t place = 0;
  for (const RowRun& run : runs) {
    for (int64_t row = run.first; row < run.first + run.count; ++row, ++place) {
      if (column.IsValid(row)) bits[place / 8] |= std::byte{1} << (place % 8);
    }
  }
  return at;
}

absl::StatusOr<json> ColumnWriter::Add(const batch::Batch& batch, std::span<const RowRun> runs) {
  json columns = json::array();
  for (const Column& column : batch.columns()) {
    json said = SaidOf(column);
    if (column.type == DataType::kBinary) {
      RETURN_IF_ERROR(PlaceStrings(column, runs, said));
    } else {
      ASSIGN_OR_RETURN(said["at"], PlaceNumbers(column, runs));
    }
    if (!column.validity.empty()) {
      ASSIGN_OR_RETURN(said["validity_at"], PlaceValidity(column, runs));
    }
    columns.push_back(std::move(said));
  }
  return json{{"rows", NumRows(runs)}, {"columns", std::move(columns)}};
}

absl::StatusOr<json> ColumnWriter::Add(const batch::Batch& batch) {
  json columns = json::array();
  for (const Column& column : batch.columns()) {
    json said = SaidOf(column);
    ASSIGN_OR_RETURN(said["at"], Place(column.data));
    if (column.type == DataType::kBinary) {
      ASSIGN_OR_RETURN(said["offsets_at"], Place(column.offsets));
    }
    if (!column.validity.empty()) {
      ASSIGN_OR_RETURN(said["validity_at"], Place(column.validity));
    }
    columns.push_back(std::move(said));
  }
  return json{{"rows", batch.num_rows()}, {"columns", std::move(columns)}};
}

absl::StatusOr<batch::Batch> ReadColumns(const json& answer,
                                         const std::shared_ptr<const SharedMemory>& memory) {
  const auto rows = answer.is_object() ? CountAt(answer, "rows") : std::nullopt;
  if (!rows || *rows > memory->size()) return InvalidArgument("the answer has no count of rows");
  const auto columns = answer.find("columns");
  if (columns == answer.end() || !columns->is_array()) {
    return InvalidArgument("the answer has no columns");
  }
  if (columns->size() > kMaxColumns) {
    return InvalidArgument("the answer has more than {} columns", kMaxColumns);
  }
  batch::Batch batch(*rows);
  for (const json& said : *columns) {
    ASSIGN_OR_RETURN(Column column, ColumnReader(said, *rows, memory).Read());
    RETURN_IF_ERROR(batch.Set(std::move(column)));
  }
  return batch;
}

}  // namespace tidemill::plugin
