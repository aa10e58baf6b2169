#include "batch/wire.h"

#include <bit>
#include <cstring>
#include <span>

namespace tidemill::batch {

namespace {

static_assert(std::endian::native == std::endian::little, "the wire format is little-endian");

constexpr std::string_view kMagic = "TMBATCH1";
constexpr size_t kHeaderBytes = 32;
constexpr size_t kMaxColumns = 65'536;

size_t RoundUp(size_t size, size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

size_t DescriptorBytes(const Column& column) {
  return 8 + 8 * column.shape.size() + 48 + RoundUp(column.name.size(), 8);
}

size_t EndOfDescriptors(const Batch& batch) {
  size_t end = kHeaderBytes;
  for (const Column& column : batch.columns()) end += DescriptorBytes(column);
  return end;
}

// Writes numbers and bytes one after another into memory that is large enough.
class Writer {
 public:
  explicit Writer(char* at) : at_(at) {}

  template <typename T>
  void Number(T value) {
    std::memcpy(at_, &value, sizeof(T));
    at_ += sizeof(T);
  }
  void Bytes(std::string_view bytes) {
    std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }
  void Skip(size_t size) { at_ += size; }

 private:
  char* at_;
};

// Reads them back and refuses to pass the end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  absl::StatusOr<T> Number() {
    T value{};
    if (bytes_.size() < sizeof(T)) return DataLoss("batch ends within its header");
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    return value;
  }
  absl::StatusOr<std::string_view> Bytes(size_t size) {
    if (bytes_.size() < size) return DataLoss("batch ends within its header");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

 private:
  std::string_view bytes_;
};

absl::StatusOr<Buffer> ReadBuffer(Reader& reader, const Buffer& bytes) {
  ASSIGN_OR_RETURN(const auto offset, reader.Number<uint64_t>());
  ASSIGN_OR_RETURN(const auto size, reader.Number<uint64_t>());
  if (size == 0) return Buffer();
  if (offset % 64 != 0 || offset > bytes.size() || size > bytes.size() - offset) {
    return DataLoss("batch has a buffer of {} bytes at {}, of {} in all", size, offset,
                    bytes.size());
  }
  return bytes.Slice(offset, size);
}

absl::StatusOr<Column> ReadColumn(Reader& reader, const Buffer& bytes) {
  ASSIGN_OR_RETURN(const auto name_size, reader.Number<uint16_t>());
  ASSIGN_OR_RETURN(const auto type, reader.Number<uint8_t>());
  ASSIGN_OR_RETURN(const auto num_dimensions, reader.Number<uint8_t>());
  ASSIGN_OR_RETURN(const auto reserved, reader.Number<uint32_t>());
  if (name_size > kMaxNameBytes || num_dimensions > kMaxDimensions || reserved != 0 ||
      type < static_cast<uint8_t>(DataType::kInt64) ||
      type > static_cast<uint8_t>(DataType::kBinary)) {
    return DataLoss("batch has a column that does not parse");
  }
  Column column{.name = {}, .type = static_cast<DataType>(type)};
  for (int i = 0; i < num_dimensions; ++i) {
    ASSIGN_OR_RETURN(const auto dimension, reader.Number<int64_t>());
    column.shape.push_back(dimension);
  }
  ASSIGN_OR_RETURN(column.data, ReadBuffer(reader, bytes));
  ASSIGN_OR_RETURN(column.offsets, ReadBuffer(reader, bytes));
  ASSIGN_OR_RETURN(column.validity, ReadBuffer(reader, bytes));
  ASSIGN_OR_RETURN(const std::string_view name, reader.Bytes(RoundUp(name_size, 8)));
  column.name = std::string(name.substr(0, name_size));
  return column;
}

// The buffers' numbers are read in place, so memory at odd addresses is copied once.
Buffer Aligned(Buffer bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 8 == 0) return bytes;
  Buffer copy = Buffer::AllocateUnwritten(bytes.size());
  std::memcpy(copy.mutable_data(), bytes.data(), bytes.size());
  return copy;
}

// Calls `take` with every buffer that has bytes, in their order.
template <typename Take>
void ForEachBuffer(const Batch& batch, const Take& take) {
  for (const Column& column : batch.columns()) {
    for (const Buffer* buffer : {&column.data, &column.offsets, &column.validity}) {
      if (!buffer->empty()) take(*buffer);
    }
  }
}

// Writes everything before the first buffer; `into` is zeroed.
void WriteHeader(const Batch& batch, size_t encoded_size, char* into) {
  Writer writer(into);
  writer.Bytes(kMagic);
  writer.Number(static_cast<uint64_t>(batch.num_rows()));
  writer.Number(static_cast<uint32_t>(batch.columns().size()));
  writer.Number(uint32_t{0});
  writer.Number(static_cast<uint64_t>(encoded_size));
  size_t end = EndOfDescriptors(batch);
  for (const Column& column : batch.columns()) {
    writer.Number(static_cast<uint16_t>(column.name.size()));
    writer.Number(static_cast<uint8_t>(column.type));
    writer.Number(static_cast<uint8_t>(column.shape.size()));
    writer.Number(uint32_t{0});
    for (const int64_t dimension : column.shape) writer.Number(dimension);
    for (const Buffer* buffer : {&column.data, &column.offsets, &column.validity}) {
      const size_t offset = buffer->empty() ? 0 : RoundUp(end, 64);
      writer.Number(static_cast<uint64_t>(offset));
      writer.Number(static_cast<uint64_t>(buffer->size()));
      if (!buffer->empty()) end = offset + buffer->size();
    }
    writer.Bytes(column.name);
    writer.Skip(RoundUp(column.name.size(), 8) - column.name.size());
  }
}

}  // namespace

size_t EncodedSize(const Batch& batch) {
  size_t size = EndOfDescriptors(batch);
  ForEachBuffer(batch, [&](const Buffer& buffer) { size = RoundUp(size, 64) + buffer.size(); });
  return size;
}

std::string EncodeHead(const Batch& batch) {
  std::string head(EndOfDescriptors(batch), '\0');
  WriteHeader(batch, EncodedSize(batch), head.data());
  return head;
}

size_t FirstBufferOffset(const Batch& batch) {
  if (batch.columns().empty() || batch.columns().front().data.empty()) return 0;
  return RoundUp(EndOfDescriptors(batch), 64);
}

std::string Encode(const Batch& batch) {
  std::string bytes(EncodedSize(batch), '\0');
  WriteHeader(batch, bytes.size(), bytes.data());
  size_t at = EndOfDescriptors(batch);
  ForEachBuffer(batch, [&](const Buffer& buffer) {
    at = RoundUp(at, 64);
    std::memcpy(bytes.data() + at, buffer.data(), buffer.size());
    at += buffer.size();
  });
  return bytes;
}

std::vector<Buffer> EncodeParts(const Batch& batch) {
  static constexpr char kZeros[64] = {};
  std::vector<Buffer> parts;
  parts.push_back(Buffer::Allocate(EndOfDescriptors(batch)));
  WriteHeader(batch, EncodedSize(batch), reinterpret_cast<char*>(parts.back().mutable_data()));
  size_t at = parts.back().size();
  ForEachBuffer(batch, [&](const Buffer& buffer) {
    if (const size_t gap = RoundUp(at, 64) - at; gap > 0) {
      parts.push_back(Buffer::Wrap(kZeros, gap, nullptr));
      at += gap;
    }
    parts.push_back(buffer);
    at += buffer.size();
  });
  return parts;
}

absl::StatusOr<Batch> Decode(Buffer bytes) {
  bytes = Aligned(std::move(bytes));
  Reader reader(bytes.view());
  ASSIGN_OR_RETURN(const std::string_view magic, reader.Bytes(kMagic.size()));
  if (magic != kMagic) return DataLoss("these bytes are not a batch");
  ASSIGN_OR_RETURN(const auto num_rows, reader.Number<int64_t>());
  ASSIGN_OR_RETURN(const auto num_columns, reader.Number<uint32_t>());
  ASSIGN_OR_RETURN(const auto flags, reader.Number<uint32_t>());
  ASSIGN_OR_RETURN(const auto total, reader.Number<uint64_t>());
  if (num_rows < 0 || num_columns > kMaxColumns || flags != 0 || total != bytes.size()) {
    return DataLoss("batch header does not fit its {} bytes", bytes.size());
  }
  Batch batch(num_rows);
  for (uint32_t i = 0; i < num_columns; ++i) {
    ASSIGN_OR_RETURN(Column column, ReadColumn(reader, bytes));
    if (batch.Find(column.name) != nullptr) {
      return DataLoss("batch has two columns with the same name");
    }
    if (const absl::Status status = batch.Set(std::move(column)); !status.ok()) {
      return DataLoss("batch is corrupt: {}", std::string(status.message()));
    }
  }
  return batch;
}

}  // namespace tidemill::batch
