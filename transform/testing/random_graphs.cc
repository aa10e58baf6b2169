#include "transform/testing/random_graphs.h"

#include <cstring>
#include <utility>

#include "fmt/format.h"

#include "transform/ops/op_list.h"
#include "transform/testing/samples.h"

namespace tidemill::transform::testing {
namespace {

constexpr int64_t kHeight = 10;
constexpr int64_t kWidth = 12;
constexpr int64_t kChannels = 3;
constexpr int64_t kPixels = kChannels * kHeight * kWidth;

template <typename T>
void Append(T number, std::string& record) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &number, sizeof(T));
  record.append(bytes, sizeof(T));
}

}  // namespace

double RandomCases::SomeNumber() {
  switch (Below(300)) {
    case 0:
      return 1e30;
    case 1:
      return -static_cast<double>(Below(400)) / 8;
    case 2:
      return 300;
    default:
      return static_cast<double>(Below(1000)) / 4;
  }
}

std::string RandomCases::SomeText() {
  const int64_t kind = Below(60);
  if (kind == 0) return "x";
  if (kind < 4) return "";
  return fmt::format("{}", SomeNumber());
}

batch::Batch RandomCases::TextSamples(int64_t count) {
  std::vector<std::string> records;
  std::vector<std::optional<int64_t>> labels;
  for (int64_t row = 0; row < count; ++row) {
    records.push_back(
        fmt::format("{},{},{},w{}", SomeText(), SomeText(), Below(250) - 1, Below(5)));
    labels.push_back(Below(40) == 0 ? std::nullopt : std::optional(Below(10)));
  }
  return MakeSamples(records, labels);
}

batch::Batch RandomCases::ImageSamples(int64_t count) {
  std::vector<std::string> records;
  std::vector<std::optional<int64_t>> labels;
  for (int64_t row = 0; row < count; ++row) {
    std::string record;
    for (int64_t i = 0; i < kPixels; ++i) {
      if (of_floats_) {
        Append(static_cast<float>(SomeNumber()), record);
      } else {
        Append(static_cast<uint8_t>(Below(256)), record);
      }
    }
    Append(static_cast<float>(Below(100)), record);
    Append(Below(250) - 1, record);
    if (Below(30) == 0) record.resize(20);
    records.push_back(std::move(record));
    labels.emplace_back(Below(10));
  }
  return MakeSamples(records, labels);
}

OpSpec RandomCases::OpOnAny() {
  const std::string number = Pick<std::string>({"a", "b"});
  switch (Below(8)) {
    case 0:
    case 7:
      return FilterSpec{.condition = Pick<std::string>({"a > 20", "b < 60", "a > 0", "b < 220"})};
    case 1:
      return FillMissingSpec{.columns = {number}, .number = 1};
    case 2:
      return StandardizeSpec{.columns = {number}};
    case 3:
      return HashBucketsSpec{.column = "b", .buckets = 7, .into = "bucket"};
    case 4:
      return OneHotSpec{.column = "b",
                        .classes = 5,
                        .unknown = Pick({UnknownCategory::kZeros, UnknownCategory::kBadSample}),
                        .into = "ones"};
    case 5:
      return CastSpec{.columns = {number},
                      .dtype = Pick({CastType::kUInt8, CastType::kFloat64, CastType::kInt64})};
    default:
      return Log1pSpec{.columns = {number},
                       .negative = Pick({NegativeNumber::kBadSample, NegativeNumber::kZero})};
  }
}

OpSpec RandomCases::OpOnNumbers() {
  const std::string number = Pick<std::string>({"a", "b", "c"});
  switch (Below(6)) {
    case 0:
      return ClipSpec{.columns = {number}, .min = Pick({-1.0, 0.0, 3.0}), .max = 1e6};
    case 1:
      return NormalizeSpec{
          .column = number, .mean = {Pick({0.0, 3.5})}, .into = Pick<std::string>({"", "other"})};
    case 2:
      return FillMissingSpec{.columns = config::ColumnList::All(),
                             .number = 2,
                             .indicator = Pick({false, false, true})};
    case 3:
      return CastSpec{.columns = config::ColumnList::All(),
                      .dtype = Pick({CastType::kFloat32, CastType::kFloat64})};
    default:
      return OpOnAny();
  }
}

OpSpec RandomCases::OpOnImages() {
  switch (Below(14)) {
    case 0:
    case 1:
      return CastSpec{.columns = {"image"},
                      .dtype = Pick({CastType::kFloat32, CastType::kFloat64, CastType::kInt32,
                                     CastType::kUInt8})};
    case 2:
    case 3:
      return NormalizeSpec{.column = "image",
                           .scale = Pick({1.0, 0.25}),
                           .mean = Pick<std::vector<double>>({{}, {0}, {1, 2, 3}}),
                           .deviation = Pick<std::vector<double>>({{}, {50}})};
    case 4:
      return Log1pSpec{.columns = {"image"},
                       .negative = Pick({NegativeNumber::kBadSample, NegativeNumber::kZero})};
    case 5:
      return ClipSpec{.columns = {"image"}, .min = 0, .max = Pick({100.0, 255.0})};
    case 6:
      return CropSpec{.height = Pick({int64_t{10}, int64_t{6}}),
                      .width = Pick({int64_t{12}, int64_t{7}})};
    case 7:
      return CropSpec{.height = 5, .width = 5, .offset = {1, 2}};
    case 8:
      return FlipSpec{.direction = Pick({FlipDirection::kHorizontal, FlipDirection::kVertical})};
    case 9:
      return RandomFlipSpec{};
    case 10:
      return RandomCropSpec{.height = 6, .width = 6, .padding = Pick({int64_t{0}, int64_t{2}})};
    case 11:
      return ResizeSpec{.height = 6, .width = 6, .antialias = Pick({false, true})};
    case 12:
      return FillMissingSpec{.columns = {"image"},
                             .with = Pick({Filling::kNumber, Filling::kMean}),
                             .indicator = Pick({false, true})};
    default:
      return PadSpec{.column = "image", .before = {0, 1, 1}, .after = {0, 1, 1}};
  }
}

RandomCase RandomCases::Make(int64_t num_samples) {
  RandomCase made;
  of_floats_ = Pick({false, false, true});
  if (has_images_) {
    const int64_t image_bytes = kPixels * (of_floats_ ? 4 : 1);
    made.schema = {.payload = PayloadKind::kRecord, .label = LabelKind::kClass, .num_classes = 10};
    made.spec = Spec(ParseRecordSpec{
        .fields = {{.name = "image",
                    .dtype = of_floats_ ? RecordType::kFloat32 : RecordType::kUInt8,
                    .shape = Pick<std::vector<int64_t>>(
                        {{kChannels, kHeight, kWidth}, {kChannels * kHeight, kWidth}})},
                   {.name = "a", .offset = image_bytes, .dtype = RecordType::kFloat32},
                   {.name = "b", .offset = image_bytes + 4, .dtype = RecordType::kInt64}}});
  } else {
    made.schema = CsvSchema({"a", "c", "b", "w"});
    std::vector<std::string> missing;
    if (Below(2) == 0) missing = {""};
    made.spec =
        Spec(ParseCsvSpec{.columns = {"a", "c"}, .dtype = CsvType::kFloat32, .missing = missing},
             ParseCsvSpec{.columns = {"b"}, .dtype = CsvType::kInt64});
  }
  for (int i = 0; i < 9; ++i) {
    GraphSpec longer = made.spec;
    longer.push_back({has_images_ && Below(4) > 0 ? OpOnImages() : OpOnNumbers()});
    GraphSpec closed = longer;
    closed.push_back({StackSpec{}});
    if (Graph::Check(closed, made.schema).empty()) made.spec = std::move(longer);
  }
  made.spec.push_back({StackSpec{}});
  made.spec.push_back({LabelSpec{}});
  made.samples = has_images_ ? ImageSamples(num_samples) : TextSamples(num_samples);
  SetOrdinals(made.samples);
  return made;
}

}  // namespace tidemill::transform::testing
