#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::cli {

/// Text for people on a descriptor whose reader may be slow, stopped or gone, and who must not keep
/// jobs from being looked after: what is not taken at once is kept for later. Beyond a mebibyte new
/// text is dropped, and how much is said.
class PatientText {
 public:
  explicit PatientText(int descriptor) : descriptor_(descriptor) {}

  void write(std::string_view text);
  /// Writes what is taken without waiting.
  void pump();

  bool idle() const { return kept_.empty(); }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::string kept_;
  std::size_t dropped_ = 0;  ///< Bytes.
};

}  // namespace sluice::cli
