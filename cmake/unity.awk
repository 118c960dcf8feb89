# Packs sources into batches that are compiled together. Two sources share a batch only if no name
# that one defines in an anonymous namespace is defined by the other as well.
#
#   awk -v size=8 -f unity.awk SOURCE...     prints a line for each source: BATCH SOURCE
function note(name) { names[FILENAME, ++count[FILENAME]] = name }

FNR == 1 { files[++file_count] = FILENAME; inside = 0 }
/^namespace( [a-z_:]+)? \{$/ && $2 == "{" { inside = 1; next }
/^}  \/\/ namespace/ { inside = 0 }
/^#define / { split($2, macro, "("); note(macro[1]); next }
!inside || !/^[a-zA-Z]/ { next }
# Said twice these are no error; a test is known by both of its names.
/^(using namespace |using [A-Za-z_:]+;|namespace |static_assert\()/ { next }
/^(TEST|TEST_F|TEST_P|TYPED_TEST|INSTANTIATE_TEST_SUITE_P)\(/ { note($1 " " $2); next }
/^(struct|class|enum) / { sub(/^enum class /, "enum "); name = $2; gsub(/[^A-Za-z0-9_]/, "", name); note(name); next }
/^using [A-Za-z_]+ =/ { note($2); next }
match($0, /[A-Za-z_][A-Za-z0-9_]*(\(|\[| =|\{|;)/) {
  name = substr($0, RSTART, RLENGTH)
  gsub(/[^A-Za-z0-9_]/, "", name)
  note(name)
}

END {
  for (i = 1; i <= file_count; ++i) {
    file = files[i]
    for (batch = 1; held[batch] >= size || clashes(batch, file); ++batch) {}
    ++held[batch]
    for (n = 1; n <= count[file]; ++n) taken[batch, names[file, n]] = 1
    print batch, file
  }
}

function clashes(batch, file, n) {
  for (n = 1; n <= count[file]; ++n) if ((batch, names[file, n]) in taken) return 1
  return 0
}
