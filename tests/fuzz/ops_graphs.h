// Makes the beginnings and ends of the graphs of ops_fuzz, and their samples, from the fuzzer's
// bytes.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch/batch.h"
#include "config/config.h"
#include "config/named_files.h"
#include "transform/graph.h"
#include "transform/ops/op_list.h"

namespace tidemill::fuzz {

using namespace transform;  // NOLINT: every op there is.

using Bytes = FuzzedDataProvider;

// A graph that ends with the op under test and what it needs, and the form of its samples.
struct Case {
  GraphSpec graph = {};
  SampleSchema schema = {};
};

template <typename Spec>
void Add(Case& made, Spec spec) {
  made.graph.push_back(config::Keyed<OpSpec>{std::move(spec)});
}

template <typename Enum, size_t kCount>
Enum Pick(Bytes& bytes, const Enum (&values)[kCount]) {
  return values[bytes.ConsumeIntegralInRange<size_t>(0, kCount - 1)];
}

inline int64_t Small(Bytes& bytes, int64_t min, int64_t max) {
  return bytes.ConsumeIntegralInRange<int64_t>(min, max);
}

inline double Number(Bytes& bytes) {
  if (bytes.ConsumeBool()) return static_cast<double>(Small(bytes, -1000, 1000)) / 4;
  return bytes.ConsumeFloatingPoint<double>();
}

inline std::vector<double> SomeNumbers(Bytes& bytes) {
  std::vector<double> numbers(Small(bytes, 0, 4));
  for (double& number : numbers) number = Number(bytes);
  return numbers;
}

inline std::vector<int64_t> SomeSizes(Bytes& bytes, int64_t min, int64_t max) {
  std::vector<int64_t> sizes(Small(bytes, 0, 4));
  for (int64_t& size : sizes) size = Small(bytes, min, max);
  return sizes;
}

inline std::string ShortText(Bytes& bytes) { return bytes.ConsumeRandomLengthString(6); }

// A file, whatever its name.
class OneFile final : public config::NamedFiles {
 public:
  explicit OneFile(std::string bytes) : bytes_(std::move(bytes)) {}
  std::optional<std::string> Read(const std::string&, size_t, std::string_view,
                                  config::Problems&) override {
    return bytes_;
  }

 private:
  const std::string bytes_;
};

inline Case Records(Bytes& bytes, CsvType type, std::vector<std::string> missing = {}) {
  Case made{.schema = {.columns = std::vector<std::string>{"a", "b"},
                       .csv = {.delimiter = Pick<std::string>(bytes, {",", "\t", ";", "::"}),
                               .trim = bytes.ConsumeBool(),
                               .numbers = {.decimal = Pick(bytes, {'.', ','})}}}};
  if (bytes.ConsumeBool()) made.schema.csv.quote.reset();
  made.schema.label = LabelKind::kClass;
  made.schema.num_classes = Small(bytes, 0, 4);
  Add(made, ParseCsvSpec{.columns = {"a", "b"}, .dtype = type, .missing = std::move(missing)});
  return made;
}

inline Case Floats(Bytes& bytes) {
  return Records(bytes, bytes.ConsumeBool() ? CsvType::kFloat32 : CsvType::kFloat64, {"", "NA"});
}

inline Case Numbers(Bytes& bytes) {
  return bytes.ConsumeBool() ? Floats(bytes) : Records(bytes, CsvType::kInt64);
}

inline Case Images(Bytes& bytes) {
  Case made{.schema = {.payload = PayloadKind::kRecord}};
  RecordField field{
      .name = "image",
      .offset = Small(bytes, 0, 2),
      .dtype = Pick(bytes, {RecordType::kUInt8, RecordType::kInt16, RecordType::kFloat32,
                            RecordType::kFloat64, RecordType::kInt64}),
      .shape = SomeSizes(bytes, 1, 5),
      .endianness = Pick(bytes, {Endianness::kLittle, Endianness::kBig})};
  Add(made, ParseRecordSpec{.fields = {std::move(field)}});
  return made;
}

// Ends a graph: floats and whole numbers become `input`.
inline void Finish(Case& made, Bytes& bytes) {
  if (bytes.ConsumeBool()) Add(made, FillMissingSpec{.number = 1});
  Add(made, StackSpec{});
}

inline Case WithImages(Bytes& bytes, OpSpec op) {
  Case made = Images(bytes);
  made.graph.push_back({std::move(op)});
  Add(made, StackSpec{});
  return made;
}

// Samples of what bytes are left, every column there that an op may ask for.
inline batch::Batch MakeSamples(Bytes& bytes) {
  std::vector<std::string> payloads;
  std::vector<int64_t> numbers;
  std::vector<double> reals;
  while (bytes.remaining_bytes() > 0 && payloads.size() < 20) {
    numbers.push_back(bytes.ConsumeBool() ? Small(bytes, -2, 5) : bytes.ConsumeIntegral<int64_t>());
    reals.push_back(Number(bytes));
    payloads.push_back(bytes.ConsumeRandomLengthString(400));
  }
  std::vector<int64_t> keys;
  for (size_t i = 0; i < payloads.size(); ++i) keys.push_back(static_cast<int64_t>(i) + 1);
  const std::vector<std::string_view> views(payloads.begin(), payloads.end());
  batch::Batch samples(static_cast<int64_t>(payloads.size()));
  for (const std::string_view name : {batch::kKeyColumn, batch::kOrdinalColumn}) {
    samples.Set(batch::MakeColumn<int64_t>(name, keys)).IgnoreError();
  }
  for (const std::string_view name : {batch::kEventTimeColumn, batch::kClassLabelColumn}) {
    samples.Set(batch::MakeColumn<int64_t>(name, numbers)).IgnoreError();
  }
  samples.Set(batch::MakeColumn<double>(batch::kRealLabelColumn, reals)).IgnoreError();
  samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, views)).IgnoreError();
  return samples;
}

}  // namespace tidemill::fuzz
