# The kinds of target the project is made of: library, service, program, test.

# One interface target carries every compile option of the project.
add_library(tidemill_options INTERFACE)
target_compile_features(tidemill_options INTERFACE cxx_std_20)
target_include_directories(tidemill_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(
  tidemill_options
  INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror
            $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
            # g++ 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

# Sources of a target share their headers and what they instantiate of them: several are compiled as one. They stay
# separate sources: names in their anonymous namespaces must not clash.
option(TIDEMILL_UNITY "Compile sources of a target several at a time." OFF)

# How many. More would save little, and cost memory.
set(TIDEMILL_SOURCES_JOINED 16)

# tidemill_write_joined(variable target includes): writes sources that include those, and gives their
# paths. They are the same in every clone, so that a compiler cache knows what another clone has
# compiled; those of CMake's UNITY_BUILD name what they include by full paths.
function(tidemill_write_joined variable target includes)
  set(files "")
  while(includes)
    list(LENGTH includes num_left)
    list(SUBLIST includes 0 ${TIDEMILL_SOURCES_JOINED} some)
    if(num_left GREATER TIDEMILL_SOURCES_JOINED)
      list(SUBLIST includes ${TIDEMILL_SOURCES_JOINED} -1 includes)
    else()
      set(includes "")
    endif()
    list(TRANSFORM some REPLACE "(.+)" "#include \"\\1\"\n")
    string(CONCAT text ${some})
    list(LENGTH files number)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/joined/${target}/joined_${number}.cc)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
    list(APPEND files ${file})
  endwhile()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# tidemill_compile_together(target): compiles sources several at a time where TIDEMILL_UNITY is on, all that have no
# compile options of their own.
function(tidemill_compile_together target)
  if(TIDEMILL_UNITY)
    # Options of sources are set after their target.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL tidemill_join_sources ${target})")
  endif()
endfunction()

function(tidemill_join_sources target)
  get_target_property(sources ${target} SOURCES)
  set(alone "")
  set(includes "")
  foreach(source IN LISTS sources)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${path} is_generated)
    if(options OR is_generated OR NOT source MATCHES "[.]cc$")
      list(APPEND alone ${source})
    else()
      cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      list(APPEND includes ${path})
    endif()
  endforeach()
  list(LENGTH includes num_includes)
  if(num_includes GREATER 1)
    tidemill_write_joined(joined ${target} "${includes}")
    set_property(TARGET ${target} PROPERTY SOURCES ${alone} ${joined})
    # g++ takes for a header what it reads after an #include.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# The files that match any of the patterns, by their names below the current folder; looked for again at each build.
function(tidemill_files variable)
  file(GLOB found CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${ARGN})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# tidemill_library(NAME storage_catalog FOLDERS catalog DEPS tidemill::base [EXCEPT catalog/list.cc]
#                  [ONE_BY_ONE]): all sources and headers of folders beside their tests and main.cc, so that a new file
#                  needs no edit here; EXCEPT those of another library. SRCS and HDRS instead of FOLDERS
# where a folder holds several libraries. ONE_BY_ONE where each source has the same names, as those of
# one kind do.
function(tidemill_library)
  cmake_parse_arguments(ARG "ONE_BY_ONE" "NAME" "FOLDERS;SRCS;HDRS;DEPS;EXCEPT" ${ARGN})
  if(ARG_FOLDERS)
    list(TRANSFORM ARG_FOLDERS APPEND "/*.cc" OUTPUT_VARIABLE sources)
    list(TRANSFORM ARG_FOLDERS APPEND "/*.h" OUTPUT_VARIABLE headers)
    tidemill_files(ARG_SRCS ${sources})
    list(FILTER ARG_SRCS EXCLUDE REGEX "(_test|(^|/)main)[.]cc$")
    if(ARG_EXCEPT)
      list(REMOVE_ITEM ARG_SRCS ${ARG_EXCEPT})
    endif()
    tidemill_files(ARG_HDRS ${headers})
  endif()
  if(ARG_SRCS)
    add_library(tidemill_${ARG_NAME} STATIC ${ARG_SRCS})
    if(NOT ARG_ONE_BY_ONE)
      tidemill_compile_together(tidemill_${ARG_NAME})
    endif()
    target_link_libraries(tidemill_${ARG_NAME} PUBLIC tidemill_options ${ARG_DEPS})
    target_sources(tidemill_${ARG_NAME} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
                                               FILES ${ARG_HDRS})
  else()
    add_library(tidemill_${ARG_NAME} INTERFACE)
    target_link_libraries(tidemill_${ARG_NAME} INTERFACE tidemill_options ${ARG_DEPS})
    target_sources(tidemill_${ARG_NAME} INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
                                                  FILES ${ARG_HDRS})
  endif()
  add_library(tidemill::${ARG_NAME} ALIAS tidemill_${ARG_NAME})
endfunction()

# tidemill_migrations(selector): embeds selector/migrations/0001_name.sql ... in the generated header
# "selector/migrations.h" as tidemill::selector::Migrations(); target tidemill::selector_migrations.
function(tidemill_migrations folder)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/migrations/*.sql)
  set(rows "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    if(NOT name MATCHES "^0*([1-9][0-9]*)_[a-z0-9_]+$")
      message(FATAL_ERROR "${file} is not named like 0001_datasets.sql")
    endif()
    set(number ${CMAKE_MATCH_1})
    file(READ ${file} sql)
    string(APPEND rows "    {${number}, \"${name}\", R\"sql(${sql})sql\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  set(header ${PROJECT_BINARY_DIR}/migrations/${folder}/migrations.h)
  file(WRITE ${header}.new "// Generated from the files of ${folder}/migrations.
#pragma once

#include \"db/migrations.h\"

namespace tidemill::${folder} {

inline constexpr db::Migration kMigrations[] = {
${rows}};

inline std::span<const db::Migration> Migrations() { return kMigrations; }

}  // namespace tidemill::${folder}
")
  configure_file(${header}.new ${header} COPYONLY)
  add_library(tidemill_${folder}_migrations INTERFACE)
  target_include_directories(tidemill_${folder}_migrations
                             INTERFACE ${PROJECT_BINARY_DIR}/migrations)
  target_link_libraries(tidemill_${folder}_migrations INTERFACE tidemill::db)
  add_library(tidemill::${folder}_migrations ALIAS tidemill_${folder}_migrations)
endfunction()

# All that users run, and nothing of the tests.
add_custom_target(programs)
# Tests that start no server.
add_custom_target(unit_tests)

# tidemill_program(NAME tidemill-storage SRCS main.cc DEPS tidemill::storage_service)
function(tidemill_program)
  cmake_parse_arguments(ARG "" "NAME" "SRCS;DEPS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SRCS})
  tidemill_compile_together(${ARG_NAME})
  target_link_libraries(${ARG_NAME} PRIVATE tidemill_options ${ARG_DEPS})
  # What users run; test programs and tidemill-reference are of use in the tree only.
  if(ARG_NAME MATCHES "^tidemill(-|$)" AND NOT ARG_NAME STREQUAL "tidemill-reference")
    install(TARGETS ${ARG_NAME} RUNTIME DESTINATION bin)
    add_dependencies(programs ${ARG_NAME})
  endif()
endfunction()

# tidemill_test(NAME selector_test SRCS a_test.cc b_test.cc [FOLDERS policies] DEPS tidemill::selector
#               [LABELS integration] [SHARDS 3] [ONE_BY_ONE]): one test program, of these files and all tests of
# these folders. With SHARDS it is run in that number of parts, name.1, name.2 and so on, each of every third test,
# so that no part takes more than a minute. Parts run side by side, so each writes into its own folder.
function(tidemill_test)
  if(NOT TIDEMILL_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "ONE_BY_ONE" "NAME;SHARDS" "SRCS;FOLDERS;DEPS;LABELS" ${ARGN})
  foreach(folder IN LISTS ARG_FOLDERS)
    tidemill_files(tests "${folder}/*_test.cc")
    list(APPEND ARG_SRCS ${tests})
  endforeach()
  add_executable(${ARG_NAME} ${ARG_SRCS})
  if(NOT ARG_ONE_BY_ONE)
    tidemill_compile_together(${ARG_NAME})
  endif()
  target_link_libraries(${ARG_NAME} PRIVATE tidemill_options ${ARG_DEPS} GTest::gmock
                                            GTest::gtest_main)
  # The tested code is compiled like the shipped one, the tests themselves in less time.
  target_compile_options(${ARG_NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(NOT ARG_LABELS)
    # Tests of one process: these are what `make test_fast` builds and runs.
    set(ARG_LABELS unit)
    add_dependencies(unit_tests ${ARG_NAME})
  endif()
  if(NOT ARG_SHARDS)
    add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME})
    set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABELS}")
    return()
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${ARG_NAME}.${shard} COMMAND ${ARG_NAME})
    set(folder "${PROJECT_BINARY_DIR}/parts/${ARG_NAME}.${shard}/")
    file(MAKE_DIRECTORY "${folder}")
    # Long ones are started first.
    set_tests_properties(
      ${ARG_NAME}.${shard}
      PROPERTIES LABELS "${ARG_LABELS}" COST 60
                 ENVIRONMENT
                 "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index};TEST_TMPDIR=${folder}")
  endforeach()
endfunction()

# tidemill_trust_optionals(target): g++ 12 takes members of std::optional for uninitialised in code
# where they are not (GCC bug 80635).
function(tidemill_trust_optionals target)
  if(TARGET ${target})
    target_compile_options(${target}
                           PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  endif()
endfunction()
