# Writes the files of a page as string constants of the namespace NAME into a header. Raw strings may be of any length
# with the compilers that build this project.
function(concatenate result)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(READ ${file} text)
    if(text MATCHES "[)]asset\"")
      message(FATAL_ERROR "${file} holds the end mark of a raw string")
    endif()
    if(file MATCHES "LICENSE$")  # It is licensed like the code.
      set(text "/*!\n${text}*/")
    endif()
    string(APPEND all "${text}\n")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

concatenate(page ${PAGE})
concatenate(style ${STYLES})
concatenate(script ${SCRIPTS})
file(
  WRITE ${OUTPUT}
  "// Generated from cli/run_directory/web.
#pragma once

#include <string_view>

namespace tidemill::cli::${NAME} {

inline constexpr std::string_view kPage = R\"asset(${page})asset\";
inline constexpr std::string_view kStyle = R\"asset(${style})asset\";
inline constexpr std::string_view kScript = R\"asset(${script})asset\";

}  // namespace tidemill::cli::${NAME}
")
