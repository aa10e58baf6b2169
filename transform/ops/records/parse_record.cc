#include "transform/ops/records/parse_record.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "transform/engine/block_op.h"
#include "transform/engine/portable_graph.h"
#include "transform/engine/shapes.h"

namespace tidemill::transform {
namespace {

struct RecordTarget {
  RecordType dtype = RecordType::kUInt8;
  Endianness endianness = Endianness::kLittle;
  int64_t offset = 0;
  int64_t end = 0;
};

// memcpy, without a call of it for what a few registers hold: a field is copied sample by sample.
inline void CopyFew(const char* from, size_t bytes, char* to) {
  constexpr size_t kRegister = 16;
  constexpr size_t kFew = 256;
  if (bytes < kRegister || bytes > kFew) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (size_t at = 0; at + kRegister < bytes; at += kRegister) {
    std::memcpy(to + at, from + at, kRegister);
  }
  std::memcpy(to + bytes - kRegister, from + bytes - kRegister, kRegister);
}

// Reads `count` numbers of type Stored, in the given order of bytes, into numbers of type T.
template <typename Stored, typename T>
void Convert(const char* bytes, int64_t count, bool swap, T* out) {
  if (std::is_same_v<Stored, T> && !swap) {
    CopyFew(bytes, count * sizeof(T), reinterpret_cast<char*>(out));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    char number[sizeof(Stored)];
    std::memcpy(number, bytes + i * sizeof(Stored), sizeof(Stored));
    if (swap) std::reverse(number, number + sizeof(Stored));
    Stored value;
    std::memcpy(&value, number, sizeof(Stored));
    out[i] = T{value};  // Widens: no number is lost.
  }
}

class ParseRecordOp final : public BlockOp {
 public:
  // `targets`: one for each output.
  ParseRecordOp(RowRange rows, int64_t record_bytes, std::vector<RecordTarget> targets,
                std::vector<BoundColumn> outputs)
      : BlockOp({}, std::move(outputs)),
        rows_(rows),
        record_bytes_(record_bytes),
        targets_(std::move(targets)) {}

  absl::Status RunBlock(const Block& block) const override {
    ASSIGN_OR_RETURN(const batch::Column* payload,
                     block.frame.samples().Get(batch::kPayloadColumn, batch::DataType::kBinary));
    for (size_t i = 0; i < targets_.size(); ++i) RunField(i, *payload, block);
    if (record_bytes_ == 0) RejectLonger(*payload, block);
    return absl::OkStatus();
  }

  bool reads_records() const override { return true; }

  OpEffect EffectOn(const KnownNumbers& /*numbers*/) const override {
    OpEffect effect;
    for (const BoundColumn& output : outputs()) {
      effect.made.push_back(FiniteRangeOfType(output.schema.type));
    }
    return effect;
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    for (const BoundColumn& output : outputs()) {
      const StepId given =
          graph.Give(output, fmt::format("the field `{}` of the record", output.schema.name));
      if (IsFloat(output.schema.type)) graph.RejectNonFinite(given);
    }
    return absl::OkStatus();
  }

 private:
  // Where the dataset does not say how long a record is, its fields do.
  void RejectLonger(const batch::Column& payload, const Block& block) const {
    int64_t end = 0;
    for (const RecordTarget& target : targets_) end = std::max(end, target.end);
    for (int64_t row = block.first_row; row < block.first_row + block.num_rows; ++row) {
      const auto size = static_cast<int64_t>(payload.Bytes(row).size());
      if (size <= end) continue;
      block.frame.Reject(
          row, fmt::format("the record has {} bytes, but its last field ends at {}; describe the "
                           "rest with fields too, if it belongs to the record",
                           size, end));
    }
  }

  void RunField(size_t index, const batch::Column& payload, const Block& block) const {
    switch (targets_[index].dtype) {
      case RecordType::kUInt8:
        return Read<uint8_t, uint8_t>(index, payload, block);
      case RecordType::kInt8:
        return Read<int8_t, int32_t>(index, payload, block);
      case RecordType::kUInt16:
        return Read<uint16_t, int32_t>(index, payload, block);
      case RecordType::kInt16:
        return Read<int16_t, int32_t>(index, payload, block);
      case RecordType::kUInt32:
        return Read<uint32_t, int64_t>(index, payload, block);
      case RecordType::kInt32:
        return Read<int32_t, int32_t>(index, payload, block);
      case RecordType::kInt64:
        return Read<int64_t, int64_t>(index, payload, block);
      case RecordType::kFloat32:
        return Read<float, float>(index, payload, block);
      case RecordType::kFloat64:
        return Read<double, double>(index, payload, block);
    }
  }

  template <typename Stored, typename T>
  void Read(size_t index, const batch::Column& payload, const Block& block) const {
    const RecordTarget& target = targets_[index];
    const ColumnSchema& schema = outputs()[index].schema;
    const int64_t width = OutputWidth(index) / rows_.count;  // The width of a record.
    const int64_t end = (rows_.first + rows_.count - 1) * record_bytes_ + target.end;
    const std::span<T> values = OutputOf<T>(block, index);
    const bool swap =
        (target.endianness == Endianness::kBig) != (std::endian::native == std::endian::big);
    for (int64_t row = 0; row < block.num_rows; ++row) {
      const std::string_view record = payload.Bytes(block.first_row + row);
      T* out = values.data() + row * rows_.count * width;
      if (static_cast<int64_t>(record.size()) < end) {
        std::fill_n(out, rows_.count * width, T{});
        block.frame.Reject(block.first_row + row,
                           fmt::format("the record has {} bytes, but field {} ends at {}",
                                       record.size(), schema.name, end));
        continue;
      }
      const char* field = record.data() + rows_.first * record_bytes_ + target.offset;
      for (int64_t i = 0; i < rows_.count; ++i, field += record_bytes_, out += width) {
        Convert<Stored>(field, width, swap, out);
      }
    }
    if constexpr (std::is_floating_point_v<T>) RejectNonFinite<T>(values, schema, block);
  }

  const RowRange rows_;
  const int64_t record_bytes_;
  const std::vector<RecordTarget> targets_;
};

struct TypeFacts {
  int64_t bytes;
  batch::DataType column;
};

TypeFacts FactsOf(RecordType type) {
  switch (type) {
    case RecordType::kUInt8:
      return {1, batch::DataType::kUInt8};
    case RecordType::kInt8:
      return {1, batch::DataType::kInt32};
    case RecordType::kUInt16:
    case RecordType::kInt16:
      return {2, batch::DataType::kInt32};
    case RecordType::kUInt32:
      return {4, batch::DataType::kInt64};
    case RecordType::kInt32:
      return {4, batch::DataType::kInt32};
    case RecordType::kInt64:
      return {8, batch::DataType::kInt64};
    case RecordType::kFloat32:
      return {4, batch::DataType::kFloat32};
    case RecordType::kFloat64:
      return {8, batch::DataType::kFloat64};
  }
  return {1, batch::DataType::kUInt8};
}

}  // namespace

std::unique_ptr<Op> ParseRecordSpec::Build(OpBuilder& builder) const {
  const SampleSchema& samples = builder.samples();
  if (samples.payload == PayloadKind::kCsv) {
    builder.Problem("", "parse_record needs a dataset of binary records", "use parse_csv");
  }
  if (fields.empty()) builder.Problem("fields", "is empty", "describe at least one field");
  CheckRows(builder, rows, /*is_text=*/false);
  std::vector<RecordTarget> targets;
  std::vector<BoundColumn> outputs;
  for (const RecordField& field : fields) {
    const TypeFacts facts = FactsOf(field.dtype);
    const bool good_shape = CheckShape(builder, "fields", field.shape);
    ColumnSchema schema{.name = field.name, .type = facts.column};
    if (good_shape) schema.shape = field.shape;
    const int64_t end = field.offset + schema.Width() * facts.bytes;
    if (rows == Rows::kAll) schema.shape.insert(schema.shape.begin(), samples.history);
    outputs.push_back(builder.Output("fields", std::move(schema)));
    if (samples.record_bytes.has_value() && end > *samples.record_bytes) {
      builder.Problem("fields",
                      fmt::format("field {} ends at byte {}, but a record has {}", field.name, end,
                                  *samples.record_bytes),
                      "check offset, dtype and shape; the label's bytes do not count");
    }
    targets.push_back({field.dtype, field.endianness, field.offset, end});
  }
  return std::make_unique<ParseRecordOp>(RangeOf(rows, samples.history),
                                         samples.record_bytes.value_or(0), std::move(targets),
                                         std::move(outputs));
}

}  // namespace tidemill::transform
