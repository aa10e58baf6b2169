#include "records/skipped_lines.h"

#include "gmock/gmock.h"

namespace tidemill {
namespace {

TEST(SkippedLines, EachLineEndEndsALine) {
  const std::string_view text = "# a\r\n\n# b\rx,y\n";
  EXPECT_EQ(text.substr(SkippedLines(3).Skip(text, true)), "x,y\n");
  EXPECT_EQ(text.substr(SkippedLines(1).Skip(text, true)), "\n# b\rx,y\n");
  EXPECT_EQ(SkippedLines(0).Skip(text, true), 0);
}

TEST(SkippedLines, ALineMayComeInPieces) {
  for (size_t size = 1; size < 12; ++size) {
    const std::string_view text = "# a long one\r\n# b\r\nx,y\n";
    SkippedLines lines(2);
    size_t begin = 0, end = 0;
    while (!lines.IsDone() && end < text.size()) {
      end = std::min(text.size(), end + size);
      begin += lines.Skip(text.substr(begin, end - begin), end == text.size());
    }
    EXPECT_EQ(text.substr(begin), "x,y\n") << size;
  }
}

TEST(SkippedLines, AFileMayHaveFewer) {
  SkippedLines lines(3);
  EXPECT_EQ(lines.Skip("a\nb", true), 3);
  EXPECT_FALSE(lines.IsDone());
}

}  // namespace
}  // namespace tidemill
