# The pages, with the decisions and pictures that they link. tests/architecture/links_test.py installs
# them and follows their links.
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/../docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN *.md PATTERN *.png)
