#include "records/file_kind.h"

#include <string>

#include "gmock/gmock.h"

namespace tidemill {
namespace {

using std::string_literals::operator""s;

std::string NameOf(const std::string& bytes) {
  const auto kind = KindOfFile(bytes);
  return kind ? std::string(kind->name) : "";
}

std::string Utf16(const std::string& ascii, bool little) {
  std::string text;
  for (const char c : ascii) {
    text += little ? std::string{c, '\0'} : std::string{'\0', c};
  }
  return text;
}

// What gzip -9, bzip2, zip, lz4, pyarrow, h5py, numpy and others write.
TEST(FileKind, IsKnownByTheFirstBytes) {
  const std::string zip =
      "PK\x03\x04\x14\0\0\0\x08\0\0\0!\0\xde\xd9\x1d\x0c\x9a\x01\0\0\x02\x06\0\0"s;
  EXPECT_EQ(NameOf(zip + "\x13\0\x08\x02[Content_Types].xml"s), "an Office file (xlsx)");
  EXPECT_EQ(NameOf(zip + "\x09\0\0\0arr_0.npy\x93NUMPY"s), "a file of NumPy arrays (npz)");
  EXPECT_EQ(NameOf(zip + "\x0e\0\0\0model/data.pkl"s), "a file of torch.save");
  EXPECT_EQ(NameOf(zip + "\x05\0\0\0a.csv"s), "a zip archive");
  EXPECT_EQ(NameOf("PK\x05\x06"s + std::string(18, '\0')), "an empty zip archive");
  EXPECT_EQ(NameOf("PAR1\x15\x04\x15\x10"), "a Parquet file");
  EXPECT_EQ(NameOf("ARROW1\0\0\xff\xff\xff\xff"s), "an Arrow (Feather) file");
  EXPECT_EQ(NameOf("\x89HDF\r\n\x1a\n\0"s), "an HDF5 file");
  EXPECT_EQ(NameOf("\x93NUMPY\x01\0v\0{'descr': '<f8'"s), "a NumPy array");
  EXPECT_EQ(NameOf("\x80\x04\x95\x10\0"s), "a pickle of Python");
  EXPECT_EQ(NameOf("SQLite format 3\0\x10\0"s), "an SQLite database");
  EXPECT_EQ(NameOf("BZh91AY&SY\x0f\x1c\x02"), "a bzip2 file");
  EXPECT_EQ(NameOf("\x04\x22\x4d\x18\x64\x40"), "an lz4 file");
  EXPECT_EQ(NameOf("%PDF-1.4\n%\xe2\xe3\xcf\xd3"), "a PDF document");
  EXPECT_EQ(NameOf("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s), "a PNG image");
  EXPECT_EQ(NameOf("\xff\xd8\xff\xe0\0\x10JFIF"s), "a JPEG image");
  EXPECT_EQ(NameOf("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Office file (xls)");
  EXPECT_EQ(NameOf(std::string("a.csv") + std::string(252, '\0') + "ustar" + '\0' + "00"),
            "a tar archive");
}

TEST(FileKind, OfTextThatIsNotATableIsKnownByItsFirstWords) {
  EXPECT_EQ(NameOf("\n<!DOCTYPE html>\n<html>"), "a web page (HTML)");
  EXPECT_EQ(NameOf("<HTML><head>"), "a web page (HTML)");
  EXPECT_EQ(NameOf("<?xml version=\"1.0\"?>"), "an XML document");
  EXPECT_EQ(NameOf("version https://git-lfs.github.com/spec/v1\noid sha256:1"),
            "a pointer of Git LFS, not the file itself");
}

TEST(FileKind, KnowsTextInUtf16WithAndWithoutItsMark) {
  EXPECT_EQ(NameOf("\xff\xfe" + Utf16("t,x\n", true)), "text in UTF-16");
  EXPECT_EQ(NameOf("\xfe\xff" + Utf16("t,x\n", false)), "text in UTF-16");
  EXPECT_EQ(NameOf(Utf16("t,x\n1,2\n", true)), "text in UTF-16");
  EXPECT_EQ(NameOf(Utf16("t,x\n1,2\n", false)), "text in UTF-16");
  EXPECT_EQ(NameOf("\xff\xfe\0\0t\0\0\0"s), "text in UTF-32");
  EXPECT_EQ(NameOf(std::string(4096, '\0')), "zero bytes where its content should be");
}

TEST(FileKind, IsNoneForTextThatOnlyBeginsLikeOne) {
  for (const char* const text :
       {"", "PAR1,PAR2\n1,2\n", "PK,name\n1,a\n", "BZh9,x\n1,2\n", "ORC,ELF\n3,4\n",
        "RIFF,x\n1,2\n", "GIF8,x\n", "FEA1,FEA2\n", "\xef\xbb\xbft,x\n1,2\n", "t,\xfc\n1,2\n",
        "html,x\n", "{\"a\":1}\n", "version,x\n1,2\n"}) {
    EXPECT_EQ(NameOf(text), "") << text;
  }
}

}  // namespace
}  // namespace tidemill
