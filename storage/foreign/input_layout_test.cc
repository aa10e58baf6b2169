#include "storage/foreign/input_layout.h"

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"

namespace tidemill::storage {
namespace {

using ::testing::IsEmpty;
using tidemill::testing::IsOk;

struct Chosen {
  std::vector<std::string> missing = {};
  std::string records = {};  // What the dataset's format reads, without a header.
};

// Chooses the layout of a text, and converts it if that is needed.
Chosen Choose(const std::string& format, std::string text) {
  const auto spec = config::ReadKept<DatasetSpec>(
      "path: /data\nformat: " + format + "\nlabel: {column: y, kind: real}\n", "dataset");
  EXPECT_THAT(spec.status(), IsOk());
  if (!spec.ok()) return {};
  EXPECT_TRUE(HasFirstRow(*spec, text)) << text;
  auto layout = ChooseLayout(*spec, {.path = "-"}, text);
  EXPECT_THAT(layout.status(), IsOk()) << text;
  if (!layout.ok()) return {};
  EXPECT_EQ(layout->spec.format->Delimited()->skip, 0);
  if (layout->converter != nullptr) {
    ConvertedRows rows;
    layout->converter->Convert(text, /*last=*/true, rows);
    return {layout->missing_columns, rows.text};
  }
  const bool header = layout->spec.format->Delimited()->header;
  return {layout->missing_columns, header ? text.substr(text.find('\n') + 1) : text};
}

TEST(InputLayout, LinesThatTheDatasetSkipsMayBeThereOrNot) {
  const std::string format = "{type: csv, skip: 2, columns: [x, name, y]}";
  for (const char* const text :
       {"# a, b\n\nx,name,y\n1,a,2\n", "x,name,y\n1,a,2\n", "\n# b\nx,name,y\n1,a,2\n",
        "name,x,y\na,1,2\n", "# a\r\n# b\r\ny,x,name\n2,1,a\n",
        "{\"x\": 1, \"name\": \"a\", \"y\": 2}\n"}) {
    EXPECT_EQ(Choose(format, text).records, "1,a,2\n") << text;
  }
}

TEST(InputLayout, AHeaderThatCannotNameTheColumnsIsSkipped) {
  const std::string format = "{type: csv, skip: 1, header: false, columns: [x, x_2, y]}";
  EXPECT_EQ(Choose(format, "x,x,y\n1,5,2\n").records, "1,5,2\n");
  EXPECT_EQ(Choose(format, "1,5,2\n3,4,5\n").records, "1,5,2\n3,4,5\n");
}

TEST(InputLayout, AHeaderMayHaveLineEndsInItsNames) {
  const std::string format = "{type: csv, columns: [\"x\\n(cm)\", name, y]}";
  const Chosen moved = Choose(format, "name,\"x\n(cm)\",y\na,1,2\n");
  EXPECT_THAT(moved.missing, IsEmpty());
  EXPECT_EQ(moved.records, "1,a,2\n");
  EXPECT_THAT(Choose(format, "\"x\n(cm)\",name,y\n1,a,2\n").missing, IsEmpty());
}

}  // namespace
}  // namespace tidemill::storage
