// Messages are written by protobuf itself, from a descriptor that is built here.
#include "records/tf_example.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/text_format.h>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill {
namespace {

namespace pb = google::protobuf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tidemill::testing::IsOk;

constexpr char kDescriptor[] = R"(
name: "example.proto" syntax: "proto3"
message_type { name: "BytesList" field { name: "value" number: 1 label: LABEL_REPEATED type: TYPE_BYTES } }
message_type { name: "FloatList" field { name: "value" number: 1 label: LABEL_REPEATED type: TYPE_FLOAT
               options { packed: PACKED } } }
message_type { name: "Int64List" field { name: "value" number: 1 label: LABEL_REPEATED type: TYPE_INT64
               options { packed: PACKED } } }
message_type { name: "Feature" oneof_decl { name: "kind" }
  field { name: "bytes_list" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: "BytesList" oneof_index: 0 }
  field { name: "float_list" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: "FloatList" oneof_index: 0 }
  field { name: "int64_list" number: 3 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: "Int64List" oneof_index: 0 } }
message_type { name: "Features"
  nested_type { name: "FeatureEntry" options { map_entry: true }
    field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_STRING }
    field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: "Feature" } }
  field { name: "feature" number: 1 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: "Features.FeatureEntry" } }
message_type { name: "Example"
  field { name: "features" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: "Features" }
  field { name: "more" number: 9 label: LABEL_REPEATED type: TYPE_STRING } }
)";

// Writes an Example given in protobuf's text form.
class Writer {
 public:
  explicit Writer(bool packed) {
    std::string text = kDescriptor;
    for (size_t at; (at = text.find("PACKED }")) != std::string::npos;) {
      text.replace(at, 6, packed ? "true" : "false");
    }
    pb::FileDescriptorProto file;
    EXPECT_TRUE(pb::TextFormat::ParseFromString(text, &file));
    example_ = pool_.BuildFile(file)->FindMessageTypeByName("Example");
  }
  std::string Write(const std::string& text) {
    const std::unique_ptr<pb::Message> message(factory_.GetPrototype(example_)->New());
    EXPECT_TRUE(pb::TextFormat::ParseFromString(text, message.get())) << text;
    return message->SerializeAsString();
  }

 private:
  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory factory_;
  const pb::Descriptor* example_ = nullptr;
};

constexpr char kExample[] = R"(
more: "x"
features {
  feature { key: "image" value { bytes_list { value: "\000\377z" value: "" } } }
  feature { key: "weights" value { float_list { value: 1.5 value: -0.25 value: 3e38 } } }
  feature { key: "label" value { int64_list { value: -7 value: 9223372036854775807 } } }
  feature { key: "other" value { int64_list { value: 1 } } }
  feature { key: "void" value { } }
})";

TEST(ExampleFeatures, ReadsWhatProtobufWritesPackedOrNot) {
  for (const bool packed : {true, false}) {
    const std::string bytes = Writer(packed).Write(kExample);
    ExampleFeatures features({"label", "image", "weights", "gone", "void", "label"});
    ASSERT_THAT(features.Read(bytes), IsOk());
    EXPECT_THAT(features.feature(0).ints, ElementsAre(-7, INT64_MAX));
    EXPECT_THAT(features.feature(1).bytes, ElementsAre(std::string("\0\xffz", 3), ""));
    EXPECT_THAT(features.feature(2).floats, ElementsAre(1.5F, -0.25F, 3e38F));
    EXPECT_EQ(features.feature(3).kind, ExampleFeature::Kind::kAbsent);
    EXPECT_EQ(features.feature(4).kind, ExampleFeature::Kind::kAbsent);
    EXPECT_THAT(features.feature(5).ints, ElementsAre(-7, INT64_MAX));
    ASSERT_THAT(features.Read(""), IsOk());
    EXPECT_THAT(features.feature(0).ints, IsEmpty());
  }
}

TEST(ExampleFeatures, JoinsMessagesAsProtobufDoes) {
  Writer writer(true);
  const std::string both =
      writer.Write(R"(features { feature { key: "a" value { int64_list { value: 1 } } }
                                 feature { key: "b" value { int64_list { value: 2 } } } })") +
      writer.Write(R"(features { feature { key: "a" value { float_list { value: 3 } } } })");
  ExampleFeatures features({"a", "b"});
  ASSERT_THAT(features.Read(both), IsOk());
  EXPECT_EQ(features.feature(0).kind, ExampleFeature::Kind::kFloat);
  EXPECT_THAT(features.feature(0).floats, ElementsAre(3));
  EXPECT_THAT(features.feature(0).ints, IsEmpty());
  EXPECT_THAT(features.feature(1).ints, ElementsAre(2));
}

TEST(ExampleFeatures, EveryCutIsRefusedOrAMessageOfItsOwn) {
  const std::string bytes = Writer(true).Write(kExample);
  ExampleFeatures features({"label", "image"});
  int num_good = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    if (features.Read(cut).ok()) ++num_good;
  }
  // Nothing, and all of the features without what follows them.
  EXPECT_LE(num_good, 2);
  EXPECT_FALSE(features.Read("certainly no message").ok());
}

}  // namespace
}  // namespace tidemill
