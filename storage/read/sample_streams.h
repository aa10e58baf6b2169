// The sources of the streams of storage's gRPC face.
#pragma once

#include <memory>

#include "grpcpp/support/byte_buffer.h"

#include "rpc/streams/frame_stream.h"
#include "storage/index/sample_index.h"
#include "storage/read/open_files.h"

namespace tidemill::storage {

// Answers a ListSamplesRequest, which is `request`, batch by batch. The records that its `where`
// looks at are read in blocks of about `block_bytes`. `indexes` and `files` must outlive the
// result.
std::unique_ptr<rpc::FrameSource> ListFrames(SampleIndex& indexes, OpenFiles& files,
                                             int64_t block_bytes, const grpc::ByteBuffer& request);

// Answers a ReadSamplesRequest, which is `request`, in blocks of about `block_bytes` of payload.
// `indexes` and `files` must outlive the result.
std::unique_ptr<rpc::FrameSource> ReadFrames(SampleIndex& indexes, OpenFiles& files,
                                             int64_t block_bytes, const grpc::ByteBuffer& request);

// Answers a DescribeSamplesRequest, which is `request`. `indexes` must outlive the result.
std::unique_ptr<rpc::FrameSource> DescriptionFrames(SampleIndex& indexes,
                                                    const grpc::ByteBuffer& request);

}  // namespace tidemill::storage
