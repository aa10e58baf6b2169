#include "models/torch/safetensors.h"

#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::models {
namespace {

std::string File(std::string_view header, std::string_view data) {
  const uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  return bytes.append(header).append(data);
}

TensorFile Sample() {
  TensorFile file;
  file.tensors["b"] = {"F32", {2}, std::string_view("abcdefgh", 8)};
  file.tensors["a"] = {"U8", {3, 1}, std::string_view("xyz", 3)};
  file.tensors["empty"] = {"I64", {0, 4}, {}};
  file.tensors["number"] = {"F64", {}, std::string_view("01234567", 8)};
  file.metadata["input_shape"] = "28,28";
  return file;
}

TEST(Safetensors, WhatIsWrittenIsReadBack) {
  const std::string bytes = WriteTensorFile(Sample()).value();
  const auto file = ReadTensorFile(bytes);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  ASSERT_EQ(file->tensors.size(), 4u);
  for (const auto& [name, tensor] : Sample().tensors) {
    EXPECT_EQ(file->tensors.at(name).dtype, tensor.dtype);
    EXPECT_EQ(file->tensors.at(name).shape, tensor.shape);
    EXPECT_EQ(file->tensors.at(name).bytes, tensor.bytes);
  }
  EXPECT_EQ(file->metadata.at("input_shape"), "28,28");
}

TEST(Safetensors, TheLayoutIsThatOfTheFormat) {
  TensorFile file;
  file.tensors["w"] = {"U8", {2}, "ab"};
  EXPECT_EQ(WriteTensorFile(file).value(),
            File(R"({"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}   )", "ab"));
}

TEST(Safetensors, AnArrayThatDoesNotFitItsShapeIsNotWritten) {
  TensorFile file;
  file.tensors["w"] = {"F32", {2}, "abc"};
  EXPECT_EQ(WriteTensorFile(file).status().code(), absl::StatusCode::kInvalidArgument);
}

class BrokenFile : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BrokenFile, IsRefused) {
  const auto [header, data] = GetParam();
  EXPECT_EQ(ReadTensorFile(File(header, data)).status().code(), absl::StatusCode::kDataLoss);
}

INSTANTIATE_TEST_SUITE_P(
    Safetensors, BrokenFile,
    ::testing::Values(
        std::pair{"", ""}, std::pair{"[]", ""}, std::pair{"{", ""}, std::pair{" {}", ""},
        std::pair{"{}", "x"}, std::pair{R"({"w":3})", ""},
        std::pair{R"({"w":{"dtype":"U8","shape":[2],"data_offsets":[0,3]}})", "abc"},
        std::pair{R"({"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "a"},
        std::pair{R"({"w":{"dtype":"U8","shape":[2],"data_offsets":[2,0]}})", "ab"},
        std::pair{R"({"w":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", "abc"},
        std::pair{R"({"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "abc"},
        std::pair{R"({"w":{"dtype":"U8","shape":[-2],"data_offsets":[0,2]}})", "ab"},
        std::pair{R"({"w":{"dtype":"U8","shape":[2.0],"data_offsets":[0,2]}})", "ab"},
        std::pair{R"({"w":{"dtype":"V8","shape":[2],"data_offsets":[0,2]}})", "ab"},
        std::pair{R"({"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2],"x":1}})", "ab"},
        std::pair{R"({"w":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,0]}})",
                  ""},
        std::pair{R"({"w":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,0]}})",
                  ""},
        std::pair{R"({"__metadata__":{"a":1}})", ""}, std::pair{R"({"__metadata__":[]})", ""},
        std::pair{R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                  R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                  "abc"},
        std::pair{R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                  R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                  "a"},
        std::pair{R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "a"}));

TEST(Safetensors, NoTruncationAndNoFlippedHeaderBitIsMistakenForAnotherFile) {
  const std::string bytes = WriteTensorFile(Sample()).value();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ReadTensorFile(std::string_view(bytes).substr(0, size)).ok()) << size;
  }
  for (size_t bit = 0; bit < 64; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(ReadTensorFile(flipped).ok()) << bit;
  }
}

}  // namespace
}  // namespace tidemill::models
