# Every dependency of the build, each with its reason. Versions are Debian 12's.
find_package(Threads REQUIRED)        # jthread
find_package(absl CONFIG REQUIRED)    # Status (codes equal gRPC's), flat hash maps, thread annotations
find_package(Protobuf REQUIRED)       # the messages between services
find_package(gRPC CONFIG REQUIRED)    # calls between services
find_package(yaml-cpp REQUIRED)       # YAML with line and column of every node
find_package(nlohmann_json REQUIRED)  # --json output, JSON Schema, spec documents
find_package(fmt REQUIRED)            # message formatting checked at compile time
find_package(spdlog REQUIRED)         # log sinks
find_package(CLI11 REQUIRED)          # command-line parsing
find_package(ZLIB REQUIRED)           # gzip inputs
find_package(LibLZMA REQUIRED)        # xz inputs
find_package(simdjson REQUIRED)       # JSON Lines
find_package(OpenSSL REQUIRED)        # SHA-256 of artefacts
find_package(PNG REQUIRED)            # PNG samples
find_package(JPEG REQUIRED)           # JPEG samples
find_package(CURL REQUIRED)           # requests to object stores, signed
find_package(pugixml REQUIRED)        # what object stores answer
find_package(Boost REQUIRED)          # Boost.Math: tails of distributions, without exceptions
find_package(Eigen3 REQUIRED)         # kernels and regressions of drift statistics, free of libtorch
find_package(OpenMP QUIET)            # faiss
if(NOT TARGET OpenMP::OpenMP_CXX)
  # clang without its own OpenMP; faiss is compiled for gcc's.
  add_library(OpenMP::OpenMP_CXX INTERFACE IMPORTED)
  target_link_libraries(OpenMP::OpenMP_CXX INTERFACE gomp)
endif()
find_package(faiss CONFIG REQUIRED)   # nearest neighbours and k-means of embeddings
find_library(ROARING_LIBRARY roaring REQUIRED)  # sets of keys
add_library(roaring::roaring INTERFACE IMPORTED)
target_link_libraries(roaring::roaring INTERFACE ${ROARING_LIBRARY})
find_package(PkgConfig REQUIRED)
pkg_check_modules(pqxx REQUIRED IMPORTED_TARGET libpqxx)      # PostgreSQL, all but bulk rows
pkg_check_modules(pq REQUIRED IMPORTED_TARGET libpq)          # binary COPY
pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)  # system calls that plug-ins are refused
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)  # record hashes, keyed randomness
pkg_check_modules(libre2 REQUIRED IMPORTED_TARGET re2)         # regular expressions of users, in linear time
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)  # which characters are letters
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)      # zstd inputs, batches on slow links
pkg_check_modules(lz4 REQUIRED IMPORTED_TARGET liblz4)        # batches on links that are a little slow
find_package(prometheus-cpp CONFIG REQUIRED)                  # metrics registry, text format, and the server that shows them

if(TIDEMILL_TORCH)
  # Tensors, networks, autograd. TORCH_DIR: the folder of the torch wheel or of any libtorch;
  # without it, Debian's libtorch-dev.
  if(TORCH_DIR)
    list(PREPEND CMAKE_PREFIX_PATH ${TORCH_DIR})
  endif()
  find_package(Torch REQUIRED)
  find_path(GLOO_INCLUDE gloo/context.h REQUIRED)  # headers that those of torch's c10d include: sums over ranks
endif()
if(TIDEMILL_PYTHON)
  if(NOT Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
    set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  endif()
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
  # Classes and arrays of the module of Python: typed, and without a copy.
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_package(nanobind CONFIG QUIET)
  if(NOT nanobind_FOUND)
    message(WARNING "The module of Python is left out: ${Python_EXECUTABLE} has no nanobind. Run tools/setup.sh.")
    set(TIDEMILL_PYTHON OFF)
  endif()
endif()
if(TIDEMILL_TESTS)
  find_package(GTest REQUIRED)  # tests and matchers
endif()
