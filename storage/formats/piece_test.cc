// Files read in pieces of any size come to the same records as files read whole.
#include "storage/testing/any_local_files.h"
#include "storage/testing/data_folder.h"
#include "storage/testing/format_fixture.h"
#include "storage/testing/tfrecord_writer.h"

namespace tidemill::storage::testing {
namespace {

using tidemill::testing::IsOk;

struct Limits {
  int64_t max_records = std::numeric_limits<int64_t>::max();
  int64_t max_bytes = std::numeric_limits<int64_t>::max();
};

class PieceTest : public FormatTest {
 protected:
  // All pieces of a file together.
  IndexedFile IndexInPieces(const DatasetSpec& spec, const std::string& name,
                            const Limits& limits) const {
    const auto format = MakeFormat(spec, *cache_);
    EXPECT_TRUE((*format)->ReadsInPieces());
    FileInput input{.root = data_.path(), .path = name};
    input.identity = *testing::AnyLocalFiles().IdentityOf(files::Join(data_.path(), name));
    input.max_records = limits.max_records;
    input.max_bytes = limits.max_bytes;
    IndexedFile all;
    do {
      const auto piece = (*format)->Index(input);
      EXPECT_THAT(piece, IsOk());
      // What is cut off at the end of a file belongs to its last piece.
      EXPECT_LE(piece->records_done - input.from_record - (piece->more ? 0 : 1),
                limits.max_records);
      Add(*piece, all);
      input.from_byte = piece->bytes_done;
      input.from_record = piece->records_done;
    } while (all.more);
    return all;
  }

  static void Add(const IndexedFile& piece, IndexedFile& all) {
    const auto append = [](const auto& from, auto& into) {
      into.insert(into.end(), from.begin(), from.end());
    };
    append(piece.positions, all.positions);
    append(piece.rows.byte_from, all.rows.byte_from);
    append(piece.rows.byte_to, all.rows.byte_to);
    append(piece.rows.event_time, all.rows.event_time);
    append(piece.rows.hash, all.rows.hash);
    all.rows.class_label.Append(piece.rows.class_label, 0, piece.rows.class_label.size());
    append(piece.bad, all.bad);
    all.bytes_done = piece.bytes_done;
    all.records_done = piece.records_done;
    all.more = piece.more;
  }

  void ExpectTheSameInPieces(DatasetSpec spec, const std::string& name, size_t num_good,
                             size_t num_bad) const {
    ASSERT_THAT(CompleteSpec(files::Join(data_.path(), name), *cache_, spec), IsOk());
    const auto whole = Index(spec, name);
    ASSERT_THAT(whole, IsOk());
    EXPECT_EQ(whole->positions.size(), num_good);
    EXPECT_EQ(whole->bad.size(), num_bad);
    for (int64_t limit = 1; limit < 12; ++limit) {
      for (const Limits& limits : {Limits{.max_records = limit}, Limits{.max_bytes = 3 * limit}}) {
        const IndexedFile pieces = IndexInPieces(spec, name, limits);
        EXPECT_EQ(pieces.positions, whole->positions) << limit;
        EXPECT_EQ(Samples(name, pieces), Samples(name, *whole)) << limit;
        ASSERT_EQ(pieces.bad.size(), num_bad) << limit;
        for (size_t i = 0; i < num_bad; ++i) {
          EXPECT_EQ(pieces.bad[i].position, whole->bad[i].position) << limit;
        }
        EXPECT_EQ(pieces.bytes_done, whole->bytes_done) << limit;
        EXPECT_EQ(pieces.records_done, whole->records_done) << limit;
      }
    }
  }
};

constexpr char kCsv[] =
    "format: {type: csv, max_record: 40B}\nlabel: {column: y}\n"
    "event_time: {column: t, format: unix}\n";
constexpr char kJsonl[] =
    "format: {type: jsonl, max_record: 40B}\nlabel: {column: y}\n"
    "event_time: {column: t, format: unix}\n";

TEST_F(PieceTest, OfCsvFiles) {
  const std::string text = "\xef\xbb\xbft,y,x\n1,1,\"a\nb\"\r\n\n2,0,c\nno,1,d\n3,1," +
                           std::string(90, 'z') + "\n4,1,\"e\"\"\"\n5,0,f";
  data_.Write("a.csv", text);
  ExpectTheSameInPieces(Spec(kCsv), "a.csv", 4, 2);
  data_.Write("b.csv", text + "\n");
  ExpectTheSameInPieces(Spec(std::string(kCsv) + "append: true\n"), "b.csv", 4, 2);
  data_.Write("c.csv", Gzip(text));
  ExpectTheSameInPieces(Spec(kCsv), "c.csv", 4, 2);
}

TEST_F(PieceTest, OfJsonLines) {
  const std::string text =
      "{\"t\":1,\"y\":1}\n\n{\"t\":2,\"y\":0}\r\n{\"t\":3\n{\"t\":4,\"y\":1,\"x\":\"" +
      std::string(90, 'z') + "\"}\n{\"t\":5,\"y\":1}\n  \n{\"t\":6,\"y\":0}";
  data_.Write("a.jsonl", text);
  ExpectTheSameInPieces(Spec(kJsonl), "a.jsonl", 4, 2);
  const std::string zeros(100, '\0');
  data_.Write("c.jsonl", text + "\n" + zeros + text + "\n{\"t\":1" + zeros + "}\n" + zeros);
  ExpectTheSameInPieces(Spec(kJsonl), "c.jsonl", 8, 6);
  data_.Write("b.jsonl", text + "\n");
  ExpectTheSameInPieces(Spec(std::string(kJsonl) + "append: true\n"), "b.jsonl", 4, 2);
}

TEST_F(PieceTest, OfFixedRecords) {
  constexpr char kSpec[] =
      "format: {type: binary, record_bytes: 4, header_bytes: 3}\n"
      "label: {record: {offset: 1, width: 1, encoding: signed}}\n"
      "event_time: {row: {start: 2020-01-01T00:00:00Z, step: 1s}}\n";
  std::string text = "abc";
  for (int i = 0; i < 9; ++i) text += {'x', i == 4 ? '\xff' : static_cast<char>(i), 'y', 'z'};
  data_.Write("a.bin", text);
  ExpectTheSameInPieces(Spec(kSpec), "a.bin", 8, 1);
  data_.Write("b.bin", text + "cut");
  ExpectTheSameInPieces(Spec(kSpec), "b.bin", 8, 2);
  ExpectTheSameInPieces(Spec(std::string(kSpec) + "append: true\n"), "b.bin", 8, 1);
}

TEST_F(PieceTest, OfTfrecords) {
  constexpr char kSpec[] = "format: {type: tfrecord, max_record: 40B}\n";
  std::string text;
  for (int i = 0; i < 5; ++i) text += TfRecord(std::string(static_cast<size_t>(i) * 7, 'x'));
  text += TfRecord(std::string(90, 'z'));
  std::string damaged = TfRecord("damaged");
  damaged[13] ^= 1;
  text += damaged + TfRecord("last");
  data_.Write("a.tfrecord", text);
  ExpectTheSameInPieces(Spec(kSpec), "a.tfrecord", 6, 2);
  data_.Write("b.tfrecord", text + "cut off");
  ExpectTheSameInPieces(Spec(kSpec), "b.tfrecord", 6, 3);
  std::string lengthless = TfRecord("without its length");
  lengthless[2] = 1;
  data_.Write("c.tfrecord", lengthless + text + lengthless + text + "cut off");
  ExpectTheSameInPieces(Spec(kSpec), "c.tfrecord", 12, 7);
}

}  // namespace
}  // namespace tidemill::storage::testing
