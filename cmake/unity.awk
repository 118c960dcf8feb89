# Packs sources into batches that are compiled together. Two sources share a batch only if no name
# that one defines in an anonymous namespace is defined by the other as well; a type's second name may be,
# for the same type.
#
#   awk -v size=8 -f unity.awk SOURCE...     prints a line for each source: BATCH SOURCE
function note(name, meaning) {
  names[FILENAME, ++count[FILENAME]] = name
  meanings[FILENAME, name] = meaning ? meaning : FILENAME
}

FNR == 1 { files[++file_count] = FILENAME; inside = 0 }
/^namespace( [a-z_:]+)? \{$/ && $2 == "{" { inside = 1; next }
/^}  \/\/ namespace/ { inside = 0 }
/^#define / { split($2, macro, "("); note(macro[1]); next }
!inside || !/^[a-zA-Z]/ { next }
# Said twice these are no error; a test is known by both of its names.
/^(using namespace |using enum |using [A-Za-z_:]+;|namespace |static_assert\()/ { next }
/^(TEST|TEST_F|TEST_P|TYPED_TEST)\(/ { note($1 " " $2); next }
# These go by the name of a class, or by the type of an argument, that is noted by itself.
/^(INSTANTIATE_TEST_SUITE_P|TYPED_TEST_SUITE)\(/ || /^void PrintTo\(/ { next }
/^(struct|class|enum) / { sub(/^enum class /, "enum "); name = $2; gsub(/[^A-Za-z0-9_]/, "", name); note(name); next }
/^using [A-Za-z_]+ =.*;$/ { note($2, $0); next }
/^using [A-Za-z_]+ =/ { note($2); next }
match($0, /[A-Za-z_][A-Za-z0-9_]*(\(|\[| =|\{|;)/) {
  name = substr($0, RSTART, RLENGTH)
  gsub(/[^A-Za-z0-9_]/, "", name)
  note(name)
}

END {
  batches = int((file_count + size - 1) / size)
  if (batches > 0) size = int((file_count + batches - 1) / batches)  # Alike in size, for several processors.
  for (i = 1; i <= file_count; ++i) {
    file = files[i]
    for (batch = 1; held[batch] >= size || clashes(batch, file); ++batch) {}
    ++held[batch]
    for (n = 1; n <= count[file]; ++n) taken[batch, names[file, n]] = meanings[file, names[file, n]]
    print batch, file
  }
}

function clashes(batch, file, n, name) {
  for (n = 1; n <= count[file]; ++n) {
    name = names[file, n]
    if ((batch, name) in taken && taken[batch, name] != meanings[file, name]) return 1
  }
  return 0
}
