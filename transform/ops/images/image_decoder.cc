#include "transform/ops/images/image_decoder.h"

#include <jerror.h>
#include <jpeglib.h>
#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/numbers/each_processor.h"
#include "records/exif.h"
#include "transform/engine/images.h"
#include "transform/ops/images/image_kind.h"
#include "transform/ops/images/resampling.h"
#include "transform/ops/images/turn.h"

namespace tidemill::transform {
namespace {

absl::Status OtherSize(int64_t height, int64_t width, const ImageShape& shape) {
  return DataLoss("the image is {} high and {} wide instead of {} and {}", height, width,
                  shape.height, shape.width);
}

absl::Status CheckSize(int64_t height, int64_t width, const ImageShape& shape) {
  if (height > kMaxPixels / std::max<int64_t>(width, 1)) {
    return DataLoss("an image of {}x{} is larger than {} pixels", height, width, kMaxPixels);
  }
  if (height == shape.height && width == shape.width) return absl::OkStatus();
  return OtherSize(height, width, shape);
}

// The weights of ITU-R BT.601, which JPEG uses as well, in 65536ths.
uint8_t ToGrey(const uint8_t* pixel) {
  return static_cast<uint8_t>((19595 * pixel[0] + 38470 * pixel[1] + 7471 * pixel[2] + 32768) >>
                              16);
}

// Rows of interleaved pixels of `stored` channels to one plane a channel.
void ToPlanes(const std::vector<uint8_t>& rows, int64_t stored, const ImageShape& shape,
              std::span<uint8_t> pixels) {
  const int64_t plane = shape.height * shape.width;
  if (stored == 3 && shape.channels == 1) {
    for (int64_t i = 0; i < plane; ++i) pixels[i] = ToGrey(&rows[i * 3]);
    return;
  }
  for (int64_t channel = 0; channel < shape.channels; ++channel) {
    const uint8_t* in = rows.data() + (stored == 1 ? 0 : channel);
    uint8_t* out = pixels.data() + channel * plane;
    for (int64_t i = 0; i < plane; ++i) out[i] = in[i * stored];
  }
}

// Both libraries report errors by longjmp. Every function below that calls setjmp keeps what it
// changes in one of these two structs and owns no object with a destructor, so that the jump
// skips none.

struct PngReader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string_view rest;
  char message[200] = "";
};

extern "C" void OnPngError(png_structp png, png_const_charp message) {
  auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
  std::snprintf(reader->message, sizeof(reader->message), "%s", message);
  png_longjmp(png, 1);
}
extern "C" void OnPngWarning(png_structp, png_const_charp) {}
extern "C" void ReadPngBytes(png_structp png, png_bytep out, size_t size) {
  auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
  if (size > reader->rest.size()) png_error(png, "the file ends early");
  std::memcpy(out, reader->rest.data(), size);
  reader->rest.remove_prefix(size);
}

bool ReadPngHeader(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_info(reader.png, reader.info);
  return true;
}

bool ReadPngRows(PngReader& reader, std::span<png_bytep> rows, size_t row_bytes) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_set_expand(reader.png);
  png_set_strip_16(reader.png);
  png_set_strip_alpha(reader.png);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  if (png_get_rowbytes(reader.png, reader.info) != row_bytes) {
    png_error(reader.png, "its pixel format is unknown");
  }
  png_read_image(reader.png, rows.data());
  png_read_end(reader.png, nullptr);
  return true;
}

absl::Status DecodeOpenPng(PngReader& reader, const ImageShape& shape, std::span<uint8_t> pixels) {
  if (!ReadPngHeader(reader)) return DataLoss("the PNG is damaged: {}", reader.message);
  RETURN_IF_ERROR(CheckSize(png_get_image_height(reader.png, reader.info),
                            png_get_image_width(reader.png, reader.info), shape));
  const int64_t stored =
      (png_get_color_type(reader.png, reader.info) & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1;
  const size_t row_bytes = shape.width * stored;
  std::vector<uint8_t> interleaved(shape.height * row_bytes);
  std::vector<png_bytep> rows(shape.height);
  for (size_t row = 0; row < rows.size(); ++row) rows[row] = interleaved.data() + row * row_bytes;
  if (!ReadPngRows(reader, rows, row_bytes)) {
    return DataLoss("the PNG is damaged: {}", reader.message);
  }
  ToPlanes(interleaved, stored, shape, pixels);
  return absl::OkStatus();
}

absl::Status DecodePng(std::string_view file, const ImageShape& shape, std::span<uint8_t> pixels) {
  PngReader reader{.rest = file};
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, OnPngError, OnPngWarning);
  if (reader.png == nullptr) return ResourceExhausted("not enough memory to decode a PNG");
  reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) {
    png_destroy_read_struct(&reader.png, nullptr, nullptr);
    return ResourceExhausted("not enough memory to decode a PNG");
  }
  // Chunks beside the pixels may be compressed bombs: none is needed.
  constexpr png_alloc_size_t kMaxChunkBytes = 8'000'000;
  png_set_chunk_malloc_max(reader.png, kMaxChunkBytes);
  png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
  png_set_user_limits(reader.png, kMaxPixels, kMaxPixels);
  png_set_read_fn(reader.png, &reader, ReadPngBytes);
  absl::Status status = DecodeOpenPng(reader, shape, pixels);
  png_destroy_read_struct(&reader.png, &reader.info, nullptr);
  return status;
}

struct JpegReader {
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  jpeg_decompress_struct jpeg = {};
  jmp_buf jump = {};
  char message[JMSG_LENGTH_MAX] = "";
};

extern "C" [[noreturn]] void OnJpegError(j_common_ptr jpeg) {
  auto* reader = static_cast<JpegReader*>(jpeg->client_data);
  jpeg->err->format_message(jpeg, reader->message);
  std::longjmp(reader->jump, 1);
}
// Level -1 is damage that the library would paper over with grey.
extern "C" void OnJpegMessage(j_common_ptr jpeg, int level) {
  if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA) OnJpegError(jpeg);
}
// A progressive file may hold scan after scan of a few bytes, each worth a pass over all pixels.
extern "C" void OnJpegProgress(j_common_ptr jpeg) {
  constexpr int kMaxScans = 200;
  auto* reader = static_cast<JpegReader*>(jpeg->client_data);
  if (reader->jpeg.input_scan_number > kMaxScans) {
    std::snprintf(reader->message, sizeof(reader->message), "it has more than %d scans", kMaxScans);
    std::longjmp(reader->jump, 1);
  }
}

bool ReadJpegHeader(JpegReader& reader, std::string_view file) {
  if (setjmp(reader.jump) != 0) return false;
  jpeg_create_decompress(&reader.jpeg);
  reader.jpeg.progress = &reader.progress;
  jpeg_mem_src(&reader.jpeg, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&reader.jpeg, TRUE);
  return true;
}

// Four bytes a pixel are taken apart faster than three.
#ifdef JCS_EXTENSIONS
constexpr J_COLOR_SPACE kColours = JCS_EXT_RGBX;
constexpr int64_t kColourBytes = 4;
#else
constexpr J_COLOR_SPACE kColours = JCS_RGB;
constexpr int64_t kColourBytes = 3;
#endif

// Whether four inks are stored.
bool HasInks(const JpegReader& reader) {
  return reader.jpeg.jpeg_color_space == JCS_CMYK || reader.jpeg.jpeg_color_space == JCS_YCCK;
}

// The colour of ink on white, where `stored` is how much of it is absent, of 255.
uint8_t ColourOf(uint8_t stored, uint8_t black) {
  const int product = (255 - stored) * black + 128;
  return static_cast<uint8_t>(black - ((product + (product >> 8)) >> 8));
}

// One row of four inks to rows of the wanted channels.
void InksToPlanes(const uint8_t* row, int64_t width, int64_t channels, int64_t plane,
                  uint8_t* pixels) {
  for (int64_t x = 0; x < width; ++x) {
    const uint8_t* const inks = row + 4 * x;
    const uint8_t colours[] = {ColourOf(inks[0], inks[3]), ColourOf(inks[1], inks[3]),
                               ColourOf(inks[2], inks[3])};
    if (channels == 1) {
      pixels[x] = ToGrey(colours);
    } else {
      for (int64_t channel = 0; channel < 3; ++channel) {
        pixels[channel * plane + x] = colours[channel];
      }
    }
  }
}

// One row of interleaved colours to a row of each of three planes.
TIDEMILL_FOR_EACH_PROCESSOR
void ToPlanes(const uint8_t* __restrict row, int64_t width, int64_t plane,
              uint8_t* __restrict pixels) {
  uint8_t* __restrict const red = pixels;
  uint8_t* __restrict const green = pixels + plane;
  uint8_t* __restrict const blue = pixels + 2 * plane;
  // Vector instructions narrow numbers of four bytes faster than they pick every fourth byte.
  constexpr bool kIsLittle = std::endian::native == std::endian::little;
  for (int64_t x = 0; x < width; ++x) {
    uint32_t pixel = 0;
    std::memcpy(&pixel, row + x * kColourBytes, kColourBytes);
    red[x] = static_cast<uint8_t>(pixel >> (kIsLittle ? 0 : 24));
    green[x] = static_cast<uint8_t>(pixel >> (kIsLittle ? 8 : 16));
    blue[x] = static_cast<uint8_t>(pixel >> (kIsLittle ? 16 : 8));
  }
}

#ifdef LIBJPEG_TURBO_VERSION
// The rows and columns that are decoded for a part. What the library makes of a pixel near the edge
// of what it decodes may depend on the pixels beyond it. So the edge is a block or more away.
ImagePart WithMargin(const jpeg_decompress_struct& jpeg, const ImagePart& part) {
  const auto down = [](int64_t at, int64_t side) {
    return std::max<int64_t>(0, at / side * side - side);
  };
  const auto up = [](int64_t at, int64_t side, int64_t end) {
    return std::min((at + side - 1) / side * side + side, end);
  };
  const int64_t height = int64_t{jpeg.max_v_samp_factor} * DCTSIZE;
  const int64_t width = int64_t{jpeg.max_h_samp_factor} * DCTSIZE;
  return {down(part.top, height), up(part.bottom, height, jpeg.output_height),
          down(part.left, width), up(part.right, width, jpeg.output_width)};
}
#endif

// Passes over the rows before those that a part needs, and leaves the columns beside them out.
// Returns what is decoded then.
ImagePart GoTo(jpeg_decompress_struct& jpeg, const ImagePart& part) {
#ifdef LIBJPEG_TURBO_VERSION
  const ImagePart made = WithMargin(jpeg, part);
  auto left = static_cast<JDIMENSION>(made.left);
  auto width = static_cast<JDIMENSION>(made.right - made.left);
  if (width < jpeg.output_width) jpeg_crop_scanline(&jpeg, &left, &width);
  if (made.top > 0) jpeg_skip_scanlines(&jpeg, static_cast<JDIMENSION>(made.top));
  return made;
#else
  return {0, jpeg.output_height, 0, jpeg.output_width};
#endif
}

// Reads what is left of the file, and drops it. The last row is decoded: a library that is asked to
// pass over all of them does not read them.
void PassRest(jpeg_decompress_struct& jpeg, JSAMPROW line) {
#ifdef LIBJPEG_TURBO_VERSION
  const JDIMENSION rest = jpeg.output_height - jpeg.output_scanline;
  if (rest > 1) jpeg_skip_scanlines(&jpeg, rest - 1);
#endif
  while (jpeg.output_scanline < jpeg.output_height) jpeg_read_scanlines(&jpeg, &line, 1);
}

// `shape`: the size of the image at `eighths`. `line`: memory for one row of colours or inks.
bool ReadJpegRows(JpegReader& reader, const ImageShape& shape, int eighths, const ImagePart& part,
                  std::span<uint8_t> line, std::span<uint8_t> pixels) {
  if (setjmp(reader.jump) != 0) return false;
  const bool inks = HasInks(reader);
  reader.jpeg.scale_num = static_cast<unsigned>(eighths);
  reader.jpeg.scale_denom = kEighths;
  reader.jpeg.out_color_space = inks ? JCS_CMYK : shape.channels == 1 ? JCS_GRAYSCALE : kColours;
  reader.jpeg.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&reader.jpeg);
  TIDEMILL_CHECK(reader.jpeg.output_height == shape.height &&
                 reader.jpeg.output_width == shape.width);
  const ImagePart made = GoTo(reader.jpeg, part);
  const int64_t width = made.right - made.left;
  while (reader.jpeg.output_scanline < static_cast<JDIMENSION>(made.bottom)) {
    uint8_t* const to = pixels.data() + reader.jpeg.output_scanline * shape.width + made.left;
    JSAMPROW row = shape.channels == 1 && !inks ? to : line.data();
    jpeg_read_scanlines(&reader.jpeg, &row, 1);
    const int64_t plane = shape.height * shape.width;
    if (inks) {
      InksToPlanes(line.data(), width, shape.channels, plane, to);
    } else if (shape.channels != 1) {
      ToPlanes(line.data(), width, plane, to);
    }
  }
  PassRest(reader.jpeg, line.data());
  jpeg_finish_decompress(&reader.jpeg);
  return true;
}

// A sound file of a rare kind, or a damaged one.
absl::Status WhyNot(const JpegReader& reader) {
  switch (reader.errors.msg_code) {
    case JERR_BAD_PRECISION:
      return DataLoss("a JPEG of {} bits a sample is not decoded; convert it to one of 8",
                      reader.jpeg.data_precision);
    case JERR_SOF_UNSUPPORTED:
      return DataLoss(
          "a lossless, hierarchical or arithmetic JPEG is not decoded; convert it to a baseline or "
          "progressive one ({})",
          reader.message);
    case JERR_ARITH_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
      return DataLoss("a JPEG of {} channels of this kind is not decoded; convert it ({})",
                      reader.jpeg.num_components, reader.message);
    default:
      return DataLoss("the JPEG is damaged: {}", reader.message);
  }
}

absl::Status DecodeOpenJpeg(JpegReader& reader, std::string_view file, const ImageShape& shape,
                            int eighths, const ImagePart& part, std::span<uint8_t> pixels) {
  if (!ReadJpegHeader(reader, file)) return WhyNot(reader);
  RETURN_IF_ERROR(CheckSize(reader.jpeg.image_height, reader.jpeg.image_width, shape));
  constexpr int64_t kInkBytes = 4;
  const ImageShape made = ReducedShape(shape, eighths);
  std::vector<uint8_t> line(made.width * std::max(kColourBytes, kInkBytes));
  return ReadJpegRows(reader, made, eighths, part, line, pixels) ? absl::OkStatus()
                                                                 : WhyNot(reader);
}

void StartReader(JpegReader& reader) {
  reader.jpeg.err = jpeg_std_error(&reader.errors);
  reader.jpeg.client_data = &reader;
  reader.errors.error_exit = OnJpegError;
  reader.errors.emit_message = OnJpegMessage;
  reader.progress.progress_monitor = OnJpegProgress;
}

absl::Status DecodeJpeg(std::string_view file, const ImageShape& shape, int eighths,
                        const ImagePart& part, std::span<uint8_t> pixels) {
  JpegReader reader;
  StartReader(reader);
  absl::Status status = DecodeOpenJpeg(reader, file, shape, eighths, part, pixels);
  jpeg_destroy_decompress(&reader.jpeg);
  return status;
}

// The sides and the kind of colours are in the first chunk, which every PNG has.
absl::StatusOr<ImageShape> HeaderOfPng(std::string_view file) {
  constexpr size_t kWidthAt = 16, kHeightAt = 20, kColoursAt = 25;
  if (file.size() <= kColoursAt) return DataLoss("the PNG is damaged: the file ends early");
  const auto number = [&](size_t at) {
    int64_t value = 0;
    for (size_t byte = 0; byte < 4; ++byte)
      value = value << 8 | static_cast<uint8_t>(file[at + byte]);
    return value;
  };
  const bool colours = (static_cast<uint8_t>(file[kColoursAt]) & PNG_COLOR_MASK_COLOR) != 0;
  return ImageShape{colours ? 3 : 1, number(kHeightAt), number(kWidthAt)};
}

absl::StatusOr<ImageShape> HeaderOfJpeg(std::string_view file) {
  JpegReader reader;
  StartReader(reader);
  const bool is_read = ReadJpegHeader(reader, file);
  const ImageShape shape{reader.jpeg.num_components == 1 ? 1 : 3, reader.jpeg.image_height,
                         reader.jpeg.image_width};
  absl::Status status = is_read ? absl::OkStatus() : WhyNot(reader);
  jpeg_destroy_decompress(&reader.jpeg);
  if (!status.ok()) return status;
  return shape;
}

absl::Status NotAnImage(std::string_view file) {
  if (file.empty()) return DataLoss("the file is empty");
  if (const std::optional<std::string_view> kind = KindOfImage(file)) {
    return DataLoss("{} is not decoded; convert it to PNG or JPEG", *kind);
  }
  return DataLoss("the file of {} bytes is neither a PNG nor a JPEG", file.size());
}

bool IsPng(std::string_view file) { return file.starts_with("\x89PNG\r\n\x1a\n"); }
bool IsJpeg(std::string_view file) { return file.starts_with("\xff\xd8\xff"); }

// Scales as Pillow's resize() does with its filter BILINEAR.
void Scale(const std::vector<uint8_t>& image, const ImageShape& from, const ImageShape& to,
           std::span<uint8_t> pixels) {
  const Resampling resampling({from.channels, from.height, from.width},
                              {to.channels, to.height, to.width}, ResamplingFilter::kTriangle);
  std::vector<uint8_t> between(resampling.BetweenSize());
  resampling.Run(image.data(), between.data(), pixels.data());
}

// `part`: the pixels to make of the image at `eighths`.
absl::Status DecodeAsStored(std::string_view file, const ImageShape& shape, int eighths,
                            const ImagePart& part, std::span<uint8_t> pixels) {
  if (IsJpeg(file)) return DecodeJpeg(file, shape, eighths, part, pixels);
  if (!IsPng(file)) return NotAnImage(file);
  if (eighths == kEighths) return DecodePng(file, shape, pixels);
  std::vector<uint8_t> whole(shape.Size());
  RETURN_IF_ERROR(DecodePng(file, shape, whole));
  Scale(whole, shape, ReducedShape(shape, eighths), pixels);
  return absl::OkStatus();
}

ImagePart Whole(const ImageShape& shape) { return {0, shape.height, 0, shape.width}; }

ImageShape Exchanged(const ImageShape& shape) {
  return {shape.channels, shape.width, shape.height};
}

// Adds to the message that the image would fit if it were rotated, if that is so.
absl::Status WithAdvice(absl::Status status, std::string_view file, const ImageShape& shape) {
  if (shape.height == shape.width) return status;
  const std::optional<Exif> exif = ReadExif(file);
  if (!exif || !ExchangesSides(exif->orientation)) return status;
  const std::string message(status.message());
  if (message != OtherSize(shape.width, shape.height, shape).message()) return status;
  return DataLoss("{}; its Exif data turn it: write orientation: apply", message);
}

// Makes a part of the image at `eighths`.
absl::Status DecodePart(std::string_view file, const ImageShape& shape, int eighths,
                        Orientation orientation, const ImagePart& part, std::span<uint8_t> pixels) {
  if (orientation == Orientation::kIgnore) {
    absl::Status status = DecodeAsStored(file, shape, eighths, part, pixels);
    return status.ok() ? status : WithAdvice(std::move(status), file, shape);
  }
  const std::optional<Exif> exif = ReadExif(file);
  const int turn = exif ? exif->orientation : 1;
  if (turn == 1) return DecodeAsStored(file, shape, eighths, part, pixels);
  const ImageShape made = ReducedShape(shape, eighths);
  const ImageShape stored = ExchangesSides(turn) ? Exchanged(shape) : shape;
  std::vector<uint8_t> turned(made.Size());
  RETURN_IF_ERROR(
      DecodeAsStored(file, stored, eighths, Whole(ReducedShape(stored, eighths)), turned));
  Turn(turned, turn, made, pixels);
  return absl::OkStatus();
}

}  // namespace

ImageShape ReducedShape(const ImageShape& shape, int eighths) {
  return {shape.channels, ReducedSide(shape.height, eighths), ReducedSide(shape.width, eighths)};
}

absl::Status DecodeImage(std::string_view file, const ImageShape& shape, Orientation orientation,
                         std::span<uint8_t> pixels) {
  return DecodeImage(file, shape, orientation, Whole(shape), pixels);
}

absl::Status DecodeImage(std::string_view file, const ImageShape& shape, Orientation orientation,
                         const ImagePart& part, std::span<uint8_t> pixels) {
  return DecodePart(file, shape, kEighths, orientation, part, pixels);
}

absl::Status DecodeReduced(std::string_view file, const ImageShape& shape, int eighths,
                           Orientation orientation, std::span<uint8_t> pixels) {
  return DecodePart(file, shape, eighths, orientation, Whole(ReducedShape(shape, eighths)), pixels);
}

absl::StatusOr<ImageShape> ReadImageHeader(std::string_view file) {
  if (!IsPng(file) && !IsJpeg(file)) return NotAnImage(file);
  ASSIGN_OR_RETURN(const ImageShape shape, IsPng(file) ? HeaderOfPng(file) : HeaderOfJpeg(file));
  if (shape.height < 1 || shape.width < 1) return DataLoss("the image has no pixels");
  RETURN_IF_ERROR(CheckSize(shape.height, shape.width, shape));
  return shape;
}

absl::Status DecodeStretched(std::string_view file, const ImageShape& shape,
                             Orientation orientation, bool reduced, std::span<uint8_t> pixels) {
  ASSIGN_OR_RETURN(ImageShape stored, ReadImageHeader(file));
  if (orientation == Orientation::kApply) {
    const std::optional<Exif> exif = ReadExif(file);
    if (exif && ExchangesSides(exif->orientation)) stored = Exchanged(stored);
  }
  stored.channels = shape.channels;
  if (stored.height == shape.height && stored.width == shape.width) {
    return DecodeImage(file, shape, orientation, pixels);
  }
  const int eighths = reduced && IsJpeg(file) ? LeastEighths({1, stored.height, stored.width},
                                                             {1, shape.height, shape.width})
                                              : kEighths;
  const ImageShape made = ReducedShape(stored, eighths);
  std::vector<uint8_t> image(made.Size());
  RETURN_IF_ERROR(DecodeReduced(file, stored, eighths, orientation, image));
  Scale(image, made, shape, pixels);
  return absl::OkStatus();
}

}  // namespace tidemill::transform
