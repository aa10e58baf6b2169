#include "storage/spec/formats/file_format.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "storage/spec/formats/format_list.h"

namespace tidemill::storage {
namespace {

using batch::PayloadKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What a format must say about its files.
struct ToldOfFiles {
  FormatSpec format;
  SampleUnit unit;
  PayloadKind payload;
  bool has_fields;
  bool has_rows;
  std::optional<int64_t> record_bytes = std::nullopt;
};

TEST(FileFormat, SaysWhatItsFilesHold) {
  const ToldOfFiles expected[] = {
      {CsvFormat{}, SampleUnit::kRecord, PayloadKind::kCsv, true, true},
      {BinaryFormat{.record_bytes = 7}, SampleUnit::kRecord, PayloadKind::kRecord, false, true, 7},
      {SingleFileFormat{}, SampleUnit::kWholeFile, PayloadKind::kFile, false, false},
      {JsonlFormat{}, SampleUnit::kRecord, PayloadKind::kJson, true, true},
      {TarFormat{}, SampleUnit::kMembers, PayloadKind::kFile, false, false},
      {TfrecordFormat{}, SampleUnit::kRecord, PayloadKind::kTfRecord, true, false},
      {PluginFormat{}, SampleUnit::kRecord, PayloadKind::kFile, false, false}};
  for (const ToldOfFiles& told : expected) {
    SCOPED_TRACE(told.format.type());
    EXPECT_EQ(told.format->Unit(), told.unit);
    EXPECT_EQ(told.format->Payload(), told.payload);
    EXPECT_EQ(told.format->HasFields(), told.has_fields);
    EXPECT_EQ(told.format->HasRows(), told.has_rows);
    EXPECT_EQ(told.format->RecordBytes(), told.record_bytes);
  }
}

TEST(FileFormat, OfDelimitedTextAloneSaysHowItIsCut) {
  CsvFormat tabs;
  tabs.delimiter = "\t";
  tabs.quote = "";
  tabs.header = false;
  tabs.max_record = {64};
  const std::optional<DelimitedText> text = FormatSpec(tabs)->Delimited();
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(text->dialect.delimiter, "\t");
  EXPECT_FALSE(text->dialect.quote.has_value());
  EXPECT_FALSE(text->header);
  EXPECT_EQ(text->max_record_bytes, 64);
  const FormatSpec others[] = {BinaryFormat{}, SingleFileFormat{}, JsonlFormat{}, TarFormat{},
                               TfrecordFormat{}};
  for (const FormatSpec& other : others) {
    EXPECT_FALSE(other->Delimited().has_value()) << other.type();
  }
}

TEST(FileFormat, OfDelimitedTextAloneLeavesColumnsOpenUntilTheyAreSet) {
  FormatSpec csv = CsvFormat{};
  EXPECT_TRUE(csv->LeavesColumnsOpen());
  EXPECT_THAT(csv->Columns(), IsEmpty());
  csv->SetColumns(std::vector<std::string>{"time", "class"});
  EXPECT_FALSE(csv->LeavesColumnsOpen());
  EXPECT_THAT(csv->Columns(), ElementsAre("time", "class"));
  const FormatSpec others[] = {BinaryFormat{}, SingleFileFormat{}, JsonlFormat{}, TarFormat{},
                               TfrecordFormat{}};
  for (const FormatSpec& other : others) {
    EXPECT_FALSE(other->LeavesColumnsOpen()) << other.type();
    EXPECT_THAT(other->Columns(), IsEmpty()) << other.type();
  }
}

}  // namespace
}  // namespace tidemill::storage
