#include "config/choice.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "config/spec_list.h"
#include "config/testing/not_tried.h"

namespace tidemill::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::tidemill::testing::IsOk;

class Shape : public Part<Shape> {
 public:
  static std::span<const Alternative<Shape>> Alternatives();
  virtual int64_t Area() const = 0;
  virtual void Double() = 0;
  virtual bool Equals(const Shape& other) const = 0;
};
using ShapeSpec = Choice<Shape>;

struct Square {
  static constexpr std::string_view kType = "square";
  int64_t side = 1;
  void Fields(auto&& field) { field("side", side, "Of one side.", {.min = 1}); }
  int64_t Area() const { return side * side; }
  void Double() { side *= 2; }
  friend bool operator==(const Square&, const Square&) = default;
};

struct Strip {
  static constexpr std::string_view kType = "strip";
  int64_t length = 3;
  void Fields(auto&& field) { field("length", length, "Of the long side."); }
  int64_t Area() const { return length; }
  void Double() { length *= 2; }
  friend bool operator==(const Strip&, const Strip&) = default;
};

template <typename Spec>
class ShapeOf final : public PartOf<ShapeOf<Spec>, Shape, Spec> {
 public:
  int64_t Area() const override { return this->spec_.Area(); }
  void Double() override { this->spec_.Double(); }
  bool Equals(const Shape& other) const override {
    return this->spec_ == static_cast<const ShapeOf&>(other).spec_;
  }
};

using Shapes = SpecList<Square, Strip>;

std::span<const Alternative<Shape>> Shape::Alternatives() {
  return config::Alternatives<Shape, ShapeOf>(Shapes());
}

TEST(NotTried, AreTheTypesOfTheListWithoutACase) {
  const std::vector<ShapeSpec> squares = {Square{}, Square{.side = 2}};
  EXPECT_THAT(testing::NotTried(squares), ElementsAre("strip"));
  EXPECT_THAT(testing::NotTried(squares, {"strip"}), IsEmpty());
  const std::vector<std::variant<Square, Strip>> strips = {Strip{}};
  EXPECT_THAT(testing::NotTried(strips), ElementsAre("square"));
}

TEST(NotTried, AreExceptionsThatDoNotHold) {
  const std::vector<ShapeSpec> squares = {Square{}};
  EXPECT_THAT(testing::NotTried(squares, {"square", "strip", "circle"}),
              ElementsAre("square", "circle"));
}

TEST(Choice, IsTheFirstOfItsListUnlessItIsMadeOfASpec) {
  EXPECT_EQ(ShapeSpec().type(), "square");
  EXPECT_EQ(ShapeSpec(Strip{.length = 7})->Area(), 7);
}

TEST(Choice, GivesItsSpecByTypeAlone) {
  const ShapeSpec shape = Strip{.length = 7};
  ASSERT_NE(shape.As<Strip>(), nullptr);
  EXPECT_EQ(shape.As<Strip>()->length, 7);
  EXPECT_EQ(shape.As<Square>(), nullptr);
}

TEST(Choice, IsAValue) {
  ShapeSpec shape = Square{.side = 4};
  const ShapeSpec copy = shape;
  internal::As<Square>(shape.mutable_spec()).side = 5;
  EXPECT_EQ(copy->Area(), 16);
  EXPECT_EQ(shape->Area(), 25);
  EXPECT_FALSE(shape == copy);
  shape = copy;
  EXPECT_TRUE(shape == copy);
  EXPECT_FALSE(shape == ShapeSpec(Strip{.length = 16}));
  const ShapeSpec moved = std::move(shape);
  EXPECT_EQ(moved->Area(), 16);
}

TEST(Choice, IsChangedByWhatItsInterfaceChanges) {
  ShapeSpec shape = Strip{.length = 5};
  const ShapeSpec copy = shape;
  shape->Double();
  EXPECT_EQ(shape->Area(), 10);
  EXPECT_EQ(copy->Area(), 5);
}

TEST(Choice, IsReadAndPrintedByItsTypeAsTheOnlyKey) {
  const auto read = Read<std::vector<Keyed<ShapeSpec>>>("- square\n- strip: {length: 9}\n", "s");
  ASSERT_THAT(read, IsOk());
  ASSERT_EQ(read->size(), 2U);
  EXPECT_TRUE((*read)[0].value == ShapeSpec(Square{}));
  EXPECT_TRUE((*read)[1].value == ShapeSpec(Strip{.length = 9}));
  const auto again = Read<std::vector<Keyed<ShapeSpec>>>(Print(*read), "printed");
  ASSERT_THAT(again, IsOk());
  EXPECT_TRUE(*again == *read);
}

TEST(Choice, IsReadAndPrintedAsAVariantOfItsSpecs) {
  const auto read = Read<ShapeSpec>("{type: strip, length: 9}", "shape");
  ASSERT_THAT(read, IsOk());
  EXPECT_TRUE(*read == ShapeSpec(Strip{.length = 9}));
  const auto again = Read<ShapeSpec>(Print(*read), "printed");
  ASSERT_THAT(again, IsOk());
  EXPECT_TRUE(*again == *read);
}

TEST(Choice, SaysWhereAnotherTypeIsWrittenAndWhichOneMayBeMeant) {
  const std::string text =
      Decode<ShapeSpec>({.text = "type: stripe", .name = "shape"}).problems.ToString();
  EXPECT_THAT(text, HasSubstr("shape:1:7"));
  EXPECT_THAT(text, HasSubstr("did you mean 'strip'?"));
  EXPECT_THAT(text, HasSubstr("types: square, strip"));
}

std::string ColourOf(const Square& square) { return square.side > 1 ? "red" : "pink"; }
std::string ColourOf(const Strip& /*strip*/) { return "blue"; }

TEST(SpecList, FindsWhatAnotherRoomDoesWithAPartByTheTypeOfItsSpec) {
  const auto colour = [](const ShapeSpec& shape) {
    return Dispatch(Shapes(), shape, [](const auto& spec) { return ColourOf(spec); });
  };
  EXPECT_EQ(colour(Square{.side = 4}), "red");
  EXPECT_EQ(colour(Square{.side = 1}), "pink");
  EXPECT_EQ(colour(Strip{}), "blue");
}

}  // namespace
}  // namespace tidemill::config
