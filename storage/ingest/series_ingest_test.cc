// Windows of a series from sync to sync, on a real PostgreSQL.
#include "storage/testing/ingest_fixture.h"

namespace tidemill::storage::testing {
namespace {

class SeriesIngestTest : public IngestTest {
 protected:
  std::string SeriesSpecText(const std::string& rest = "") const {
    return SpecText("series: {group: g, history: 2, horizon: 1, step: 1s}\n" + rest);
  }
};

TEST_F(SeriesIngestTest, AppendedRowsCompleteWindowsWithoutMovingAnyKey) {
  data_.Write("a.csv", "t,g,y\n1,a,0\n2,a,1\n3,a,2\n4,a,3\nbad,a,4\n6,a");
  const DatasetId id = Register(SeriesSpecText("append: true\n"));
  Sync(id);
  const Found first{1, "a.csv:1", "1,a,0\n2,a,1", 2};
  const Found second{2, "a.csv:2", "2,a,1\n3,a,2", 3};
  EXPECT_THAT(Samples(), ElementsAre(first, second));
  data_.Write("a.csv", "t,g,y\n1,a,0\n2,a,1\n3,a,2\n4,a,3\nbad,a,4\n6,a,5\n7,a,6\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(first, second));
  data_.Write("a.csv", "t,g,y\n1,a,0\n2,a,1\n3,a,2\n4,a,3\nbad,a,4\n6,a,5\n7,a,6\n8,a,7\n9,a,8\n");
  const DatasetSnapshot snapshot = Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(first, second, Found{3, "a.csv:6", "6,a,5\n7,a,6", 7},
                                     Found{4, "a.csv:7", "7,a,6\n8,a,7", 8}));
  EXPECT_EQ(snapshot.tombstone_sequence, 0);
  EXPECT_THAT(Query("SELECT position FROM storage.quarantine"), ElementsAre(ElementsAre("4")));
}

TEST_F(SeriesIngestTest, AChangedRowReplacesTheWindowsThatItIsIn) {
  data_.Write("a.csv", "t,g,y\n1,a,1\n2,a,2\n3,a,3\n4,a,4\n5,a,5\n");
  const DatasetId id = Register(SeriesSpecText());
  Sync(id);
  data_.Write("a.csv", "t,g,y\n1,a,1\n2,a,2\n3,a,3\n4,a,44\n5,a,5\n6,a,6\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:1", "1,a,1\n2,a,2", 3},
                                     Found{4, "a.csv:2", "2,a,2\n3,a,3", 44},
                                     Found{5, "a.csv:3", "3,a,3\n4,a,44", 5},
                                     Found{6, "a.csv:4", "4,a,44\n5,a,5", 6}));
}

TEST_F(SeriesIngestTest, ALostColumnFileIsRebuilt) {
  data_.Write("a.csv", "t,g,y\n1,a,1\n2,a,2\n3,a,3\n1,b,1\n2,b,2\n3,b,3\n4,b,4\n");
  const DatasetId id = Register(SeriesSpecText("append: true\n"));
  Sync(id);
  data_.Write("a.csv", "t,g,y\n1,a,1\n2,a,2\n3,a,3\n1,b,1\n2,b,2\n3,b,3\n4,b,4\n5,b,5\n");
  Sync(id);
  const std::vector<Found> before = Samples();
  ASSERT_THAT(before, SizeIs(4));
  LoseColumnFiles(id);
  EXPECT_THAT(NumIndexedRows(id), IsOkAndHolds(4));
  EXPECT_EQ(Samples(), before);
}

TEST_F(SeriesIngestTest, AFileWhoseGroupsAlternateIsQuarantinedAndTheOthersAreNot) {
  data_.Write("a.csv", "t,g,y\n1,a,1\n1,b,1\n2,a,2\n2,b,2\n3,a,3\n3,b,3\n");
  data_.Write("b.csv", "t,g,y\n1,a,1\n2,a,2\n3,a,3\n");
  const DatasetId id = Register(SeriesSpecText());
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "b.csv:1", "1,a,1\n2,a,2", 3}));
  EXPECT_THAT(Query("SELECT reason FROM storage.quarantine"),
              ElementsAre(ElementsAre(HasSubstr("sort the file by that column"))));
}

}  // namespace
}  // namespace tidemill::storage::testing
