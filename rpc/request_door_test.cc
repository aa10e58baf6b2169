#include "rpc/request_door.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class Guest final : public RequestDoor::Visitor {
 public:
  Guest(int number, std::vector<int>& inside, bool stays = true)
      : number_(number), inside_(inside), stays_(stays) {}

  bool OnAdmitted() override {
    if (stays_) inside_.push_back(number_);
    return stays_;
  }

 private:
  const int number_;
  std::vector<int>& inside_;
  const bool stays_;
};

TEST(RequestDoor, LetsAFewInAndTheNextOneWhenOneLeaves) {
  RequestDoor door;
  std::vector<int> inside;
  std::vector<std::shared_ptr<Guest>> guests;
  for (int i = 0; i < RequestDoor::kMaxAtOnce + 2; ++i) {
    guests.push_back(std::make_shared<Guest>(i, inside));
    door.Enter(guests.back());
  }
  EXPECT_THAT(inside, SizeIs(RequestDoor::kMaxAtOnce));
  door.Leave();
  door.Leave();
  EXPECT_EQ(inside.back(), RequestDoor::kMaxAtOnce + 1);
  EXPECT_THAT(inside, SizeIs(RequestDoor::kMaxAtOnce + 2));
}

TEST(RequestDoor, PassesOverWhoHasGoneMeanwhile) {
  RequestDoor door;
  std::vector<int> inside;
  std::vector<std::shared_ptr<Guest>> guests;
  for (int i = 0; i < RequestDoor::kMaxAtOnce; ++i) {
    guests.push_back(std::make_shared<Guest>(i, inside));
    door.Enter(guests.back());
  }
  inside.clear();
  door.Enter(std::make_shared<Guest>(100, inside));  // Gone at once.
  const auto unwilling = std::make_shared<Guest>(101, inside, /*stays=*/false);
  door.Enter(unwilling);
  const auto last = std::make_shared<Guest>(102, inside);
  door.Enter(last);
  door.Leave();
  EXPECT_THAT(inside, ElementsAre(102));
}

}  // namespace
}  // namespace tidemill::rpc
