# Writes the one source that says which commit is built, and only where that has changed:
#   cmake -DSOURCE=DIR -DREVISION=TEXT -DOUTPUT=revision.cpp -P revision.cmake
# Without REVISION git says it, where DIR is the top of a working tree.
set(revision "${REVISION}")
if(revision STREQUAL "" AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
string(REGEX REPLACE "[^A-Za-z0-9._+~-]" "" revision "${revision}")
if(revision STREQUAL "")
  set(revision unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[#include "service/daemon/revision.h"

namespace sluice {

std::string_view revision() { return "@revision@"; }

}  // namespace sluice
]])
