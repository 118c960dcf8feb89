# Writes a C++ source that holds files, each as it is and compressed with gzip:
#
#   cmake -D OUTPUT=page_files.cpp -D FILES="page.js=/path/a.js,…" -P embed.cmake
#
# The names' ends say what they are; see service/api/page_files.h.
set(types_html "text/html; charset=utf-8")
set(types_css "text/css; charset=utf-8")
set(types_js "text/javascript; charset=utf-8")
set(types_svg "image/svg+xml")
set(types_txt "text/plain; charset=utf-8")

function(read_as_literal file result)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  set(${result} "\"${bytes}\"" PARENT_SCOPE)
endfunction()

string(CONCAT source "#include \"service/api/page_files.h\"\n\nnamespace sluice {\n"
           "using namespace std::string_view_literals;\n\n"
           "const std::vector<PageFile>& page_files() {\n"
           "  static const std::vector<PageFile> files{\n")
string(REPLACE "," ";" FILES "${FILES}")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([^=]+)=(.+)$" _ "${entry}")
  set(name ${CMAKE_MATCH_1})
  set(file ${CMAKE_MATCH_2})
  string(REGEX MATCH "[a-z]+$" ending ${name})
  set(compressed ${OUTPUT}.gz)
  # A browser does not read comments. A library keeps its own, which may be its licence.
  if(file MATCHES "/page/[a-z]+\\.js$")
    execute_process(COMMAND sed "/^ *\\/\\//d" ${file} OUTPUT_FILE ${OUTPUT}.js
                    COMMAND_ERROR_IS_FATAL ANY)
    set(file ${OUTPUT}.js)
  endif()
  execute_process(COMMAND gzip -9 -n -c ${file} OUTPUT_FILE ${compressed} COMMAND_ERROR_IS_FATAL ANY)
  read_as_literal(${file} plain)
  read_as_literal(${compressed} gzipped)
  file(REMOVE ${compressed})
  string(APPEND source "{\"${name}\"sv, \"${types_${ending}}\"sv,\n${plain}sv,\n${gzipped}sv},\n")
endforeach()
string(APPEND source "  };\n  return files;\n}\n\n}  // namespace sluice\n")
file(WRITE ${OUTPUT} "${source}")
