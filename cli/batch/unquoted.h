#pragma once

#include <string>
#include <string_view>

namespace sluice::cli {

/// A form of a shell command that does not depend on how its words are quoted, only to be compared:
/// equal for `true 'it'\''s'`, `true 'it'"'"'s'` and `true it\'s`, but not for `echo $x` and
/// `echo '$x'`. Not told apart are quotes without which a word would be a keyword, an assignment or
/// the number of a redirection, or a range in brackets. Pure.
std::string unquoted_form(std::string_view command);

}  // namespace sluice::cli
